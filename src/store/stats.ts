import type { Context, Space } from '../context.ts'
import { relationshipTypes } from '../contract/connections.ts'
import type { Output } from '../contract/index.ts'
import { MOST_LOOKED_AT, oldestJobs } from './jobs/jobs.ts'
import { openStates } from './jobs/lanes.ts'
import { BEGINNING, fromMillis, typeInGraph } from './neo4j/projections.ts'
import { int, read } from './neo4j/statements.ts'

/** So many are counted of each policy, and of each type of connections. */
const MOST_COUNTED = 100_000

/**
 * Counts of what the tenant has: the memories from the sums next to the feed, of all else a bounded part. A memory without a
 * vector has a job that will make it, or has failed.
 */
export async function countAll(
  ctx: Context,
  policies: readonly string[],
): Promise<Omit<Output<'getStats'>, 'model'>> {
  const parameters = { tenant: ctx.tenant, most: int(MOST_COUNTED), looked: int(MOST_LOOKED_AT) }
  const [sums, byPolicy, connections, jobs, [missing]] = await Promise.all([
    read<{ total: number; archived: number }>(ctx, readSums, parameters),
    read<{ policy: string; n: number }>(ctx, countPolicies, { ...parameters, policies }),
    read<{ type: string; origin: 'asserted' | 'discovered'; n: number }>(ctx, countConnections, parameters),
    read<{ state: string; n: number; oldest: number }>(ctx, countJobs, { ...parameters, states: openStates }),
    read<{ pending: number; failed: number }>(ctx, countMissing(ctx.space), {
      ...parameters,
      states: openStates,
    }),
  ])
  const { total, archived } = sums[0] ?? { total: 0, archived: 0 }
  const { pending, failed } = missing ?? { pending: 0, failed: 0 }
  const open = jobs.filter(({ state }) => state !== 'failed')
  return {
    memories: {
      total,
      by_state: { active: total - archived, archived },
      by_policy: Object.fromEntries(byPolicy.map(({ policy, n }) => [policy, n])),
      embeddings_pending: pending + failed,
      embeddings_failed: failed,
    },
    connections: {
      total: sum(connections),
      by_type: totals(connections, row => row.type),
      by_origin: {
        asserted: sum(connections, row => row.origin === 'asserted'),
        discovered: sum(connections, row => row.origin === 'discovered'),
      },
    },
    queue: {
      depth: sum(open),
      failed: sum(jobs, row => row.state === 'failed'),
      oldest_age_seconds: open.length === 0 ? null : Math.max(0, ...open.map(({ oldest }) => oldest)),
    },
  }
}

/** Changes without a number are not in the sums yet. */
const readSums = `CALL () {
    MATCH (c:Change) WHERE c.unnumbered = $tenant AND c.at >= ${BEGINNING}
    RETURN sum(c.usage[0]) AS total, sum(c.usage[1]) AS archived
  }
  OPTIONAL MATCH (f:Feed {tenant: $tenant})
  RETURN 1.0 * (coalesce(f.memories, 0) + total) AS total, 1.0 * (coalesce(f.archived, 0) + archived) AS archived`

const countPolicies = `UNWIND $policies AS policy
  CALL (policy) {
    MATCH (m:Memory) WHERE m.tenant = $tenant AND m.policy = policy
    WITH m LIMIT $most
    RETURN 1.0 * count(m) AS n
  }
  WITH policy, n WHERE n > 0
  RETURN policy, n ORDER BY policy`

const countConnections = `CALL () { ${relationshipTypes
  .map(
    type => `MATCH ()-[r:${typeInGraph(type)}]->()
        WHERE r.tenant = $tenant AND r.createdAt >= ${BEGINNING} AND r.key IS NOT NULL
        WITH r LIMIT $most
        RETURN '${type}' AS type, r.origin AS origin`,
  )
  .join(' UNION ALL ')} }
  RETURN type, origin, count(*) AS n`

const countJobs = `${oldestJobs}
  RETURN state, count(*) AS n, (timestamp() - min(j.createdAt).epochMillis) / 1000.0 AS oldest`

/** The vectors of a space that is being filled are missing behind the place where the filling stands. */
const countMissing = ({ property }: Space) => `CALL () {
    ${oldestJobs}
    WITH j WHERE j.kind = 'discover'
    MATCH (m:Memory {tenant: $tenant, id: j.memoryId}) USING INDEX SEEK m:Memory(tenant, id)
    WHERE m.${property} IS NULL
    RETURN m, j.state = 'failed' AND m.state = 'active' AS failed
    UNION
    ${oldestJobs}
    WITH j WHERE j.kind = 'fill' AND j.state <> 'failed' LIMIT 1
    MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state IN ['active', 'archived']
      AND m.createdAt >= ${fromMillis('coalesce(j.placeCreatedAt, 0)')} AND m.id IS NOT NULL
    WITH m LIMIT $most
    WITH m WHERE m.${property} IS NULL
    RETURN m, false AS failed
  }
  WITH m, min(toInteger(failed)) = 1 AS failed
  RETURN count(CASE WHEN NOT failed THEN 1 END) AS pending, count(CASE WHEN failed THEN 1 END) AS failed`

const sum = <Row extends { n: number }>(rows: readonly Row[], which: (row: Row) => boolean = () => true) =>
  rows.filter(which).reduce((total, { n }) => total + n, 0)

const totals = <Row extends { n: number }>(rows: readonly Row[], name: (row: Row) => string) => {
  const names = [...new Set(rows.map(name))].sort()
  return Object.fromEntries(names.map(each => [each, sum(rows, row => name(row) === each)]))
}
