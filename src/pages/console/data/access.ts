/** Who asks: a key, and the tenant, which stands in the address of every view. */
export type Access = { key: string; tenant: string }

/** Where the key is kept: in the session of this tab, which ends with it, and nowhere else. */
const PLACE = 'mnemograph.access'

/** The tenant that the address names; empty where it names none. */
export function tenantOfAddress(): string {
  const [, named = ''] = /\/console\/t\/([^/]+)/.exec(location.pathname) ?? []
  return decodeURIComponent(named) || (new URLSearchParams(location.search).get('tenant') ?? '')
}

export function readAccess(): Access | undefined {
  const kept = sessionStorage.getItem(PLACE)
  if (!kept) return undefined
  const { key, tenant } = JSON.parse(kept) as Access
  return { key, tenant: tenantOfAddress() || tenant }
}

export const keepAccess = (access: Access) => sessionStorage.setItem(PLACE, JSON.stringify(access))

export const forgetAccess = () => sessionStorage.removeItem(PLACE)

/** The headers that carry it. */
export const headersOf = ({ key, tenant }: Access): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  ...(tenant ? { 'x-tenant-id': tenant } : {}),
})
