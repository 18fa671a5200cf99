import type { Context } from '../../context.ts'
import { filterParameters, type MemoryFilter, passes } from '../memories/filter.ts'
import { lookThrough, type Page, type Window } from '../memories/look-through.ts'
import { typesInGraph } from '../neo4j/projections.ts'
import { int, intOrNull, read, type Transaction } from '../neo4j/statements.ts'
import type { LifecycleRow } from './figures.ts'

/** What decides for the memories of a policy whether anything may be due at a time: of an unknown policy, what does for `long_term`. */
export type Term = {
  policy: string
  /** Whether time changes anything at all. */
  ages: boolean
  /** With this health or less a memory may end before a day is full. */
  endsSoonAt: number | null
  /** Those archived until then are removed, in milliseconds. */
  removedBefore: number | null
}

/** What decides which memories of a tenant are due. */
export type Due = {
  /** The time for which it is decided. */
  readonly at: number
  readonly terms: readonly Term[]
  readonly filter: MemoryFilter
}

/** At most so many ids of memories behind `after` for which anything may be due, in order. */
export const readDue = (ctx: Context, { at, terms, filter }: Due, window: Window): Promise<Page> =>
  lookThrough(
    ctx,
    `WITH m, coalesce($terms[m.policy], $terms.long_term) AS term WHERE (
        m.recallCount > coalesce(m.foldedRecalls, 0)
        OR (m.state = 'archived' AND m.archivedAt.epochMillis <= term.removedBefore)
        OR (m.state = 'active' AND (m.liveUntil <= $at OR m.health <= term.endsSoonAt
          OR (term.ages AND coalesce(m.maintainedAt, m.createdAt) <= datetime({epochMillis: $at - 86400000, timezone: 'Z'})))))
        AND ${passes('m')}`,
    window,
    {
      ...filterParameters(filter),
      at: int(at),
      terms: Object.fromEntries(
        terms.map(({ policy, ages, endsSoonAt, removedBefore }) => [
          policy,
          { ages, endsSoonAt, removedBefore: intOrNull(removedBefore) },
        ]),
      ),
    },
  )

/** What the lifecycle of these memories is computed from. */
export const readLifecycles = (ctx: Context, ids: readonly string[]): Promise<LifecycleRow[]> =>
  readLifecyclesWithin((text, parameters) => read(ctx, text, parameters), ctx.tenant, ids)

export const readLifecyclesWithin = (
  run: Transaction['run'],
  tenant: string,
  ids: readonly string[],
): Promise<LifecycleRow[]> =>
  run<LifecycleRow>(
    `UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    CALL (m) {
      MATCH (r:Recall {tenant: $tenant, memoryId: m.id}) WHERE r.foldedBy IS NULL
      RETURN collect(r.at.epochMillis) AS recalls
    }
    RETURN m.id AS id, m.state AS state, m.policy AS policy, m.health AS health, m.importance AS importance,
      m.version AS version, m.updatedAt.epochMillis AS updatedAt, m.archivedAt.epochMillis AS archivedAt,
      m.archivedReason AS archivedReason,
      m.createdAt.epochMillis AS createdAt, m.expiresAt.epochMillis AS expiresAt,
      m.importanceSince.epochMillis AS importanceSince, m.maintainedAt.epochMillis AS maintainedAt,
      m.recallCount AS recallCount, m.foldedRecalls AS foldedRecalls, m.lastRun AS lastRun, m.lastRunVersion AS lastRunVersion, recalls,
      COUNT { (m)-[:${typesInGraph()}]-() } AS connections`,
    { ids, tenant },
  )

/** The present by the database's clock, in milliseconds, and how many memories the tenant has. */
export async function readTenant(ctx: Context): Promise<{ now: number; memories: number }> {
  const [row] = await read<{ now: number; memories: number }>(
    ctx,
    `CALL () { MATCH (m:Memory) WHERE m.tenant = $tenant RETURN count(m) AS memories }
    RETURN datetime.realtime('Z').epochMillis AS now, memories`,
    { tenant: ctx.tenant },
  )
  return row as NonNullable<typeof row>
}
