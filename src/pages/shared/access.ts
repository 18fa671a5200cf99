/** Who asks: a key, and the tenant where the key is the operator's. */
export type Access = { key: string; tenant: string }

/** Where the key is kept: in the session of this tab, which ends with it, and nowhere else. */
const PLACE = 'mnemograph.access'

export function readAccess(): Access | undefined {
  const kept = sessionStorage.getItem(PLACE)
  return kept ? (JSON.parse(kept) as Access) : undefined
}

export const keepAccess = (access: Access) => sessionStorage.setItem(PLACE, JSON.stringify(access))

export const forgetAccess = () => sessionStorage.removeItem(PLACE)

/** The headers that carry it. */
export const headersOf = ({ key, tenant }: Access): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  ...(tenant ? { 'x-tenant-id': tenant } : {}),
})
