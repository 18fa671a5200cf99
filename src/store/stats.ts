import type { Context, Space } from '../context.ts'
import { relationshipTypes } from '../contract/connections.ts'
import type { Output } from '../contract/index.ts'
import { BEGINNING, typeInGraph } from './neo4j/projections.ts'
import { read } from './neo4j/statements.ts'

/** Counts of what the tenant has. Reads each memory and connection of the tenant once. */
export async function countAll(ctx: Context): Promise<Omit<Output<'getStats'>, 'model'>> {
  const tenant = { tenant: ctx.tenant }
  const [memories, connections, jobs] = await Promise.all([
    read<{ state: 'active' | 'archived'; policy: string; embedding: string; n: number }>(
      ctx,
      countMemories(ctx.space),
      tenant,
    ),
    read<{ type: string; origin: 'asserted' | 'discovered'; n: number }>(ctx, countConnections, tenant),
    read<{ state: string; n: number; oldest: number | null }>(ctx, countJobs, tenant),
  ])
  const open = jobs.filter(({ state }) => state !== 'failed' && state !== 'done')
  const ages = open.flatMap(({ oldest }) => (oldest === null ? [] : [oldest]))
  return {
    memories: {
      total: sum(memories),
      by_state: {
        active: sum(memories, row => row.state === 'active'),
        archived: sum(memories, row => row.state === 'archived'),
      },
      by_policy: totals(memories, row => row.policy),
      embeddings_pending: sum(memories, row => row.embedding !== 'ready'),
      embeddings_failed: sum(memories, row => row.state === 'active' && row.embedding === 'failed'),
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
      oldest_age_seconds: ages.length === 0 ? null : Math.max(0, ...ages),
    },
  }
}

/** A memory without a vector has failed if no job that is in progress would make one. */
const countMemories = ({ property }: Space) => `CYPHER 25
  CALL () {
    MATCH (f:Job) WHERE f.tenant = $tenant AND f.createdAt >= ${BEGINNING} AND f.id IS NOT NULL
      AND f.kind = 'fill' AND NOT f.state IN ['failed', 'done']
    RETURN count(f) > 0 AS filling
  }
  MATCH (m:Memory) WHERE m.tenant = $tenant
  RETURN m.state AS state, m.policy AS policy,
    CASE
      WHEN m.${property} IS NOT NULL THEN 'ready'
      WHEN filling OR EXISTS {
        MATCH (j:Job) WHERE j.tenant = $tenant AND j.memoryId = m.id AND NOT j.state IN ['failed', 'done']
      } THEN 'pending'
      ELSE 'failed'
    END AS embedding,
    count(*) AS n`

const countConnections = `CYPHER 25
  CALL () { ${relationshipTypes
    .map(
      type => `MATCH ()-[r:${typeInGraph(type)}]->()
        WHERE r.tenant = $tenant AND r.createdAt >= ${BEGINNING} AND r.key IS NOT NULL
        RETURN '${type}' AS type, r.origin AS origin`,
    )
    .join(' UNION ALL ')} }
  RETURN type, origin, count(*) AS n`

const countJobs = `CYPHER 25
  MATCH (j:Job) WHERE j.tenant = $tenant AND j.createdAt >= ${BEGINNING} AND j.id IS NOT NULL
  RETURN j.state AS state, count(*) AS n,
    (timestamp() - min(j.createdAt).epochMillis) / 1000.0 AS oldest`

const sum = <Row extends { n: number }>(rows: readonly Row[], which: (row: Row) => boolean = () => true) =>
  rows.filter(which).reduce((total, { n }) => total + n, 0)

const totals = <Row extends { n: number }>(rows: readonly Row[], name: (row: Row) => string) => {
  const names = [...new Set(rows.map(name))].sort()
  return Object.fromEntries(names.map(each => [each, sum(rows, row => name(row) === each)]))
}
