/** Private memories of an owner are a tenant of their own. No tenant has the mark between both names in its own. */
const MARK = '~'

/** The tenant that the private memories of an owner are. */
export const privateTenant = (tenant: string, owner: string): string => `${tenant}${MARK}${owner}`

/** Whose private memories a tenant is; undefined if it is the shared ones. */
export const ownerOf = (tenant: string): string | undefined => tenant.split(MARK)[1]

/** The tenant that private memories belong to; a tenant itself if it is the shared ones. */
export const baseTenant = (tenant: string): string => tenant.split(MARK)[0] as string

/** What the names of all private tenants of a tenant begin with. */
export const privatePrefix = (tenant: string): string => privateTenant(tenant, '')
