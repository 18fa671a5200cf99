import type { Context, Space } from '../../context.ts'
import type { LineOf } from '../../contract/bundle.ts'
import type { Place } from '../embeddings/vectors.ts'
import { filterParameters, type MemoryFilter, passes } from '../memories/filter.ts'
import { bundledVersion } from '../memories/history.ts'
import { bundledMemory, fromJson, isBehind, isOfTexts, isoTime } from '../neo4j/projections.ts'
import { int, read } from '../neo4j/statements.ts'

type Row = {
  line: (Omit<LineOf<'memories'>, 'section' | 'metadata'> & { metadata: string | null }) | null
  id: string
  at: number
  vector: number[] | null
  truncated: boolean
}

/** `line` is null where the memory does not pass the filter. */
export type BundledMemory = Omit<Row, 'line'> & { line: Omit<LineOf<'memories'>, 'section'> | null }

/**
 * The memories behind a place as a bundle has them, in the order of their making. One statement reads both states, so
 * that one which is archived or restored in the meantime is not passed over; read twice, it counts once. One that waits for its
 * discovery comes without a vector, as the bundle will not have its connections either: so it is discovered where it goes.
 */
export async function exportMemories(
  ctx: Context,
  { from, filter, space }: { from: Place; filter: MemoryFilter; space: Space | undefined },
  count: number,
): Promise<BundledMemory[]> {
  const rows = await read<Row>(
    ctx,
    `CALL () { ${(['active', 'archived'] as const)
      .map(
        state => `MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = '${state}' AND ${isBehind('m', 'id')}
      RETURN m ORDER BY m.tenant, m.state, m.createdAt, m.id LIMIT $count`,
      )
      .join(' UNION ALL ')} }
    WITH DISTINCT m ORDER BY m.createdAt, m.id LIMIT $count
    WITH m, ${passes('m')} AS passes
    CALL (m) {
      MATCH (r:Recall {tenant: $tenant, memoryId: m.id}) WHERE r.foldedBy IS NULL
      WITH DISTINCT r.at AS at ORDER BY at
      RETURN collect(${isoTime('at')}) AS recalls
    }
    RETURN CASE WHEN passes THEN ${bundledMemory('m')} END AS line, m.id AS id, m.createdAt.epochMillis AS at,
      CASE WHEN NOT passes OR ${isUndiscovered} THEN null ELSE m[$property] END AS vector,
      coalesce(m[$truncated], false) AS truncated
    ORDER BY m.createdAt, m.id`,
    {
      tenant: ctx.tenant,
      ...filterParameters(filter),
      createdAt: int(from.createdAt),
      id: from.id,
      count: int(count),
      property: space?.property ?? '',
      truncated: space?.truncated ?? '',
    },
  )
  return rows.map(({ line, ...row }) => ({
    ...row,
    line: line && { ...line, metadata: fromJson(line.metadata) },
  }))
}

const isUndiscovered = `(m.state = 'active' AND coalesce(m.discoveredRevision, 0) <> m.revision)`

/** Where a walk over the earlier versions of the tenant's memories stands. */
export type VersionPlace = { memoryId: string; version: number }

export type BundledVersion = VersionPlace & { line: Omit<LineOf<'versions'>, 'section'> | null }

/** The versions behind a place, by memory and number; `line` is null where the memory is gone or does not pass the filter. */
export async function exportVersions(
  ctx: Context,
  { from, filter }: { from: VersionPlace; filter: MemoryFilter },
  count: number,
): Promise<BundledVersion[]> {
  type Line = Omit<LineOf<'versions'>, 'section' | 'metadata'> & { metadata: string | null }
  const rows = await read<VersionPlace & { line: Line | null }>(
    ctx,
    `MATCH (v:Version) WHERE v.tenant = $tenant AND v.memoryId >= $memoryId AND v.version IS NOT NULL
    WITH v WHERE v.memoryId > $memoryId OR v.version > $version
    WITH v ORDER BY v.tenant, v.memoryId, v.version LIMIT $count
    OPTIONAL MATCH (m:Memory {tenant: $tenant, id: v.memoryId}) USING INDEX SEEK m:Memory(tenant, id)
      WHERE ${passes('m')}
    RETURN v.memoryId AS memoryId, v.version AS version, CASE WHEN m IS NOT NULL THEN ${bundledVersion('v')} END AS line
    ORDER BY memoryId, version`,
    {
      tenant: ctx.tenant,
      ...filterParameters(filter),
      memoryId: from.memoryId,
      version: int(from.version),
      count: int(count),
    },
  )
  return rows.map(({ line, ...place }) => ({
    ...place,
    line: line && { ...line, metadata: fromJson(line.metadata) },
  }))
}

/** The rejected connections and suggested conflicts of the next memories behind one, as far as the contents of both ends are the same still. */
export async function exportRejections(
  ctx: Context,
  { after, filter }: { after: string; filter: MemoryFilter },
  count: number,
): Promise<{ lines: Omit<LineOf<'rejections'>, 'section'>[]; next: string | null }> {
  const [page] = await read<{ lines: Omit<LineOf<'rejections'>, 'section'>[]; next: string | null }>(
    ctx,
    `CALL () {
      MATCH (m:Memory) USING INDEX SEEK m:Memory(tenant, id) WHERE m.tenant = $tenant AND m.id > $after
      WITH m ORDER BY m.tenant, m.id LIMIT $count
      RETURN collect(m) AS looked
    }
    CALL (looked) {
      UNWIND looked AS s
      UNWIND s.rejected AS each
      WITH s, split(each, ':') AS parts
      MATCH (t:Memory {tenant: $tenant, id: parts[0]}) USING INDEX SEEK t:Memory(tenant, id)
      WHERE toString(t.revision) = parts[1] AND toString(s.revision) = parts[2]
        AND NOT EXISTS { (s)-[r:RELATED_TO]-(t) WHERE r.origin = 'discovered' }
        AND all(m IN [s, t] WHERE ${passes('m')})
      WITH DISTINCT s.id AS source, t.id AS target ORDER BY source, target
      RETURN collect({source_id: source, target_id: target}) AS lines
    }
    CALL (looked) {
      UNWIND looked AS s
      MATCH (s)-[r:MAY_CONTRADICT]->(t:Memory)
      WHERE t.tenant = $tenant AND r.status IN ['rejected', 'suggested'] AND ${isOfTexts('r', 's', 't')}
        AND all(m IN [s, t] WHERE ${passes('m')})
      WITH s, r, t ORDER BY s.id, t.id
      RETURN collect({source_id: s.id, target_id: t.id, relationship_type: 'contradicts',
        suggested: CASE WHEN r.status = 'suggested' THEN {rule: r.rule, reason: r.reason,
          created_at: ${isoTime('r.createdAt')}, digests: [s.textDigest, t.textDigest]} END}) AS reviewed
    }
    RETURN lines + reviewed AS lines, CASE WHEN size(looked) = $count THEN looked[-1].id END AS next`,
    { tenant: ctx.tenant, ...filterParameters(filter), after, count: int(count) },
  )
  return page ?? { lines: [], next: null }
}
