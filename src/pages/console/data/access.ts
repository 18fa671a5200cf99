import { ownerOf } from '../../../contract/private.ts'

/**
 * Who asks: a key, and the tenant, which stands in the address of every view. The owner to whom the key is bound is known once
 * the service has said so; null if it is bound to none.
 */
export type Access = { key: string; tenant: string; owner?: string | null }

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
  const { tenant, ...rest } = JSON.parse(kept) as Access
  return { ...rest, tenant: tenantOfAddress() || tenant }
}

export const keepAccess = (access: Access) => sessionStorage.setItem(PLACE, JSON.stringify(access))

export const forgetAccess = () => sessionStorage.removeItem(PLACE)

/** Whether the key reads the private memories of its owner together with the shared ones of its tenant. */
export const readsBoth = ({ tenant, owner }: Access): boolean =>
  Boolean(owner) && ownerOf(tenant) === undefined

/** The tenant that requests name; empty where they name none. */
export const namedTenant = (access: Access) => (readsBoth(access) ? '' : access.tenant)

/** The headers that carry it. */
export function headersOf(access: Access): Record<string, string> {
  const named = namedTenant(access)
  return { authorization: `Bearer ${access.key}`, ...(named ? { 'x-tenant-id': named } : {}) }
}
