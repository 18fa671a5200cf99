/** The address of something of the service, below whatever path prefix this page was loaded from. */
export const addressOf = (path: `/${string}`) => new URL(`..${path}`, import.meta.url).href
