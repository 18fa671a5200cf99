import type { Context } from '../../context.ts'
import type { RelationshipType } from '../../contract/connections.ts'
import type { Memory } from '../../contract/memory.ts'
import { queueJob } from '../jobs/enqueue.ts'
import { filterParameters, type MemoryFilter, passes } from '../memories/filter.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { openNow } from '../neo4j/closed.ts'
import {
  isBehind,
  isoTime,
  type MemoryColumns,
  memoryColumns,
  memoryOf,
  spaceParameter,
  typeInGraph,
} from '../neo4j/projections.ts'
import { int, read, readValues, write } from '../neo4j/statements.ts'
import { live } from '../neo4j/tokens.ts'
import type { EdgePosition } from './export.ts'

/** What the last analysis found out about a memory; null for one without connections, or in no community. */
export type Standing = { community: string | null; rank: number | null; degree: number | null }

export type StandingOf = Standing & { id: string }

/** The next memories behind an id, in the order of their ids. */
export const readStandings = (
  ctx: Context,
  after: string,
  count: number,
): Promise<(StandingOf & { live: boolean })[]> =>
  read(
    ctx,
    `MATCH (m:Memory) USING INDEX SEEK m:Memory(tenant, id) WHERE m.tenant = $tenant AND m.id > $after
    WITH m ORDER BY m.tenant, m.id LIMIT $count
    RETURN m.id AS id, ${live('m')} AS live, m.community AS community, m.rank AS rank, 1.0 * m.degree AS degree`,
    { tenant: ctx.tenant, after, count: int(count) },
  )

export type Tie = { source: string; target: string; strength: number | null }

/** The next connections of a type, oldest first, each with its place in that order. */
export const readTies = (
  ctx: Context,
  type: RelationshipType,
  after: EdgePosition | undefined,
  count: number,
): Promise<(Tie & { position: EdgePosition })[]> =>
  read(
    ctx,
    `MATCH ()-[r:${typeInGraph(type)}]->()
    WHERE r.tenant = $tenant AND ${isBehind('r', 'key')}
    WITH r ORDER BY r.tenant, r.createdAt, r.key LIMIT $count
    RETURN startNode(r).id AS source, endNode(r).id AS target, r.strength AS strength,
      {createdAt: r.createdAt.epochMillis, key: r.key} AS position`,
    {
      tenant: ctx.tenant,
      createdAt: int(after?.createdAt ?? 0),
      key: after?.key ?? '',
      count: int(count),
    },
  )

/** Keeps what an analysis has found out. No version is made, as the memories say the same. */
export const saveStandings = (ctx: Context, rows: readonly StandingOf[]) =>
  write(
    ctx,
    `UNWIND $rows AS row
    MATCH (m:Memory {tenant: $tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
    SET m.community = row.community, m.rank = row.rank, m.degree = toInteger(row.degree)`,
    { tenant: ctx.tenant, rows: rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)) },
  )

/** `reach` is how far the feed went when it began. */
type Analysis = { reach: number; size: number; communities: readonly string[] }

/** Keeps which communities there are, the largest first, and how large the graph was. */
export const saveAnalysis = (ctx: Context, { reach, size, communities }: Analysis) =>
  write(
    ctx,
    `MERGE (g:GraphAnalysis {tenant: $tenant})
    SET g.at = ${openNow('$tenant')}, g.reach = $reach, g.size = $size, g.communities = $communities`,
    { tenant: ctx.tenant, reach: int(reach), size: int(size), communities },
  )

/** So many changes make a new analysis due, or this share of the graph if that is more; fewer do after an hour. */
const ENOUGH = { changes: 20, share: 0.05, seconds: 3_600 }
/** An analysis that has failed with all its attempts is not queued again for so long. */
const REST_SECONDS = 86_400

/** The first tenant behind a name of whose graph a new analysis is due. */
export async function nextToAnalyse(caller: Caller, after: string): Promise<string | undefined> {
  const [tenant] = await readValues<string>(
    caller,
    `MATCH (f:Feed) WHERE f.tenant > $after
    OPTIONAL MATCH (g:GraphAnalysis {tenant: f.tenant})
    WITH f.tenant AS tenant, g, f.last - coalesce(g.reach, 0) AS changes
    WHERE changes > 0 AND (g IS NULL OR (changes >= $changes AND changes >= $share * g.size)
      OR g.at < datetime.realtime('Z') - duration({seconds: $seconds}))
    OPTIONAL MATCH (j:Job {id: 'analyse:' + tenant})
    WITH tenant WHERE coalesce(j.state <> 'failed' OR j.runAt < datetime.realtime('Z') - duration({seconds: $rest}), true)
    RETURN tenant ORDER BY tenant LIMIT 1`,
    { after, ...ENOUGH, seconds: int(ENOUGH.seconds), rest: int(REST_SECONDS) },
  )
  return tenant
}

/** Queues the analysis of a tenant's graph, unless it is queued already. */
export const queueAnalysis = (caller: Caller, tenant: string) =>
  write(caller, queueJob({ id: "'analyse:' + $tenant", kind: 'analyse', tenant: '$tenant' }), { tenant })

type Member = { id: string; content: string; rank: number; degree: number }

export type FoundCommunities = {
  total: number
  computed_at: string
  communities: { id: string; memories: number; members: Member[] }[]
}

/**
 * The largest communities, each with its most central members and how their contents begin. Undefined before the
 * first analysis. What was erased since is in none, and a memory with a secret names none.
 */
export async function findCommunities(
  ctx: Context,
  limit: number,
  { members, characters }: { members: number; characters: number },
): Promise<FoundCommunities | undefined> {
  const [row] = await read<FoundCommunities>(
    ctx,
    `MATCH (g:GraphAnalysis {tenant: $tenant})
    RETURN size(g.communities) AS total, ${isoTime('g.at')} AS computed_at, COLLECT {
      UNWIND g.communities[..$limit] AS id
      WITH id, COUNT {
        MATCH (m:Memory) WHERE m.tenant = $tenant AND m.community = id AND m.rank IS NOT NULL AND m.id IS NOT NULL AND ${live('m')}
      } AS memories
      WHERE memories > 0
      CALL (id) { ${membersOf('id', 'size(coalesce(m.sensitive, [])) = 0')} RETURN collect({id: m.id, content: left(m.content, $characters), rank: m.rank, degree: m.degree}) AS members }
      RETURN {id: id, members: members, memories: memories}
    } AS communities`,
    { tenant: ctx.tenant, limit: int(limit), members: int(members), characters: int(characters) },
  )
  return row
}

/** The most central memories of some communities that pass a filter. */
export async function centralMemories(
  ctx: Context,
  communities: readonly string[],
  count: number,
  filter: MemoryFilter,
): Promise<(Memory & { community: string })[]> {
  if (communities.length === 0) return []
  const found = await readValues<MemoryColumns>(
    ctx,
    `UNWIND $communities AS community
    CALL (community) { ${membersOf('community', passes('m'))} RETURN m }
    RETURN ${memoryColumns('m')} AS memory`,
    {
      tenant: ctx.tenant,
      communities,
      members: int(count),
      space: spaceParameter(ctx),
      ...filterParameters(filter),
    },
  )
  return found.map(columns => memoryOf(ctx, columns) as Memory & { community: string })
}

/** The most central memories of a community that are live. */
const membersOf = (community: string, condition = 'true') => `
        MATCH (m:Memory) WHERE m.tenant = $tenant AND m.community = ${community} AND m.rank IS NOT NULL AND m.id IS NOT NULL
          AND ${live('m')} AND ${condition}
        WITH m ORDER BY m.tenant DESC, m.community DESC, m.rank DESC, m.id DESC LIMIT $members`
