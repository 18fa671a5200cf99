/** The address of something of the service, below whatever path prefix this page was loaded from. */
export const addressOf = (path: `/${string}`) => new URL(`..${path}`, import.meta.url).href

/** The path of the console of a tenant, where the views stand. */
export const pathOf = (tenant: string) =>
  new URL(addressOf(`/console${tenant ? `/t/${encodeURIComponent(tenant)}` : ''}`)).pathname
