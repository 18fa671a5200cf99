import { Neo4jError } from 'neo4j-driver'
import { ServiceError } from '../../contract/problems.ts'

const MARK = 'closed tenant '

/**
 * The time now, for what a statement makes in a tenant: the statement fails where the tenant, or the one whose private
 * memories these are, is closed for an erasure.
 */
export const openTime = (tenant: string) =>
  `CASE WHEN EXISTS { MATCH (closed:ClosedTenant) WHERE closed.tenant IN [${tenant}, split(${tenant}, '~')[0]] }
    THEN datetime('${MARK}' + ${tenant}) ELSE datetime.realtime('Z') END`

/** The same in whole milliseconds. */
export const openNow = (tenant: string) => `datetime.truncate('millisecond', ${openTime(tenant)})`

/** What a statement failed with for that reason. */
export const isClosed = (error: unknown) => error instanceof Neo4jError && error.message.includes(MARK)

export const tenantClosed = (cause: unknown) =>
  new ServiceError('tenant_closed', 'The tenant is closed, because it is being erased or was removed.', {
    cause,
  })
