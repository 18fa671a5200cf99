import type { Context } from '../../context.ts'
import type { MemorySnapshot } from '../../contract/history.ts'
import { fromJson, isoTime } from '../neo4j/projections.ts'
import { int, read } from '../neo4j/statements.ts'
import { memoryFields } from './fields.ts'

/** What a version keeps of a memory, by the names of the contract. */
const kept = [
  'content',
  'policy',
  'ttl_seconds',
  'tags',
  'importance',
  'source',
  'session_id',
  'speaker',
  'kind',
  'metadata',
  'valid_from',
  'valid_until',
  'state',
  'archived_reason',
] as const satisfies readonly (keyof typeof memoryFields)[]

/** What bundles and reads of the past have of a version besides. */
const besides = ['expires_at', 'sensitive'] as const satisfies readonly (keyof typeof memoryFields)[]

/** What filters of erasures test besides. */
const filtered = ['createdAt', 'metadataKeys']

const properties = [...[...kept, ...besides].map(name => memoryFields[name].property), ...filtered]

/** Versions of a memory: the index is used where all of its properties are named. */
export const versionsOf = (tenant: string, id: string) =>
  `MATCH (v:Version {tenant: ${tenant}, memoryId: ${id}}) WHERE v.version IS NOT NULL`

/**
 * The part of a statement with `$by.keptVersions` that keeps the memory `m` as it is before it changes, and of its earlier
 * versions as many as the settings say.
 */
export function keepVersion(m: string): string {
  const values = properties.map(property => `${property}: ${m}.${property}`).join(', ')
  return `CALL (${m}) {
      CREATE (:Version {tenant: ${m}.tenant, memoryId: ${m}.id, version: ${m}.version, at: ${m}.updatedAt,
        author: ${m}.author, reason: ${m}.reason, ${values}})
      WITH ${m}
      ${versionsOf(`${m}.tenant`, `${m}.id`)}
      WITH v ORDER BY v.version DESC SKIP $by.keptVersions
      DELETE v
    }`
}

/** The part of a statement that removes all earlier versions of a memory `m`. */
export const removeVersions = (m: string) =>
  `CALL (${m}) { ${versionsOf(`${m}.tenant`, `${m}.id`)} DELETE v }`

export type StoredVersion = {
  version: number
  at: string
  author: string | null
  reason: string | null
  memory: MemorySnapshot
}

/** The versions of a memory, the present one first, at most `limit`; undefined without such a memory. */
export async function readVersions(
  ctx: Context,
  id: string,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<StoredVersion[] | undefined> {
  const [row] = await read<{ versions: (Omit<StoredVersion, 'memory'> & { memory: Snapshot })[] }>(
    ctx,
    `MATCH (m:Memory {tenant: $tenant, id: $id}) USING INDEX SEEK m:Memory(tenant, id)
    CALL (m) {
      ${versionsOf('$tenant', 'm.id')} AND v.version < $before
      WITH v ORDER BY v.version DESC LIMIT $limit
      RETURN collect(${projection('v', 'v.at')}) AS earlier
    }
    RETURN (CASE WHEN m.version < $before THEN [${projection('m', 'm.updatedAt')}] ELSE [] END
      + earlier)[0..$limit] AS versions`,
    { tenant: ctx.tenant, id, before: int(before ?? Number.MAX_SAFE_INTEGER), limit: int(limit) },
  )
  return row?.versions.map(({ memory, ...version }) => ({ ...version, memory: toSnapshot(memory) }))
}

type Snapshot = Omit<MemorySnapshot, 'metadata'> & { metadata: string | null }

/** The fields in the order of the contract: a map of the graph has none. */
const toSnapshot = (memory: Snapshot) =>
  Object.fromEntries(
    kept.map(name => [name, name === 'metadata' ? fromJson(memory.metadata) : memory[name]]),
  ) as MemorySnapshot

const keptOf = (x: string, names: readonly (keyof typeof memoryFields)[] = kept) =>
  names
    .map(name => {
      const { property, kind } = memoryFields[name]
      return `${name}: ${kind === 'time' ? isoTime(`${x}.${property}`) : `${x}.${property}`}`
    })
    .join(', ')

const headOf = (x: string, at: string) =>
  `version: ${x}.version, at: ${isoTime(at)}, author: ${x}.author, reason: ${x}.reason`

const projection = (x: string, at: string) => `{${headOf(x, at)}, memory: {${keptOf(x)}}}`

/**
 * What a memory `m` was in a version `x`, which may be its present one, as the properties of a memory; the figures that no
 * version keeps are those of today.
 */
export const wholeVersion = (x: string, m: string) =>
  [
    ...properties.map(property => `${property}: ${x}.${property}`),
    ...['id', 'health', 'recallCount', 'lastRecalledAt', 'community', 'owner'].map(
      name => `${name}: ${m}.${name}`,
    ),
    `version: ${x}.version, updatedAt: coalesce(${x}.at, ${x}.updatedAt)`,
    `archivedAt: CASE WHEN ${x}.state = 'archived' THEN coalesce(${x}.archivedAt, ${x}.at) END`,
  ].join(', ')

/** What a bundle says of an earlier version `v`. */
export const bundledVersion = (v: string) =>
  `{memory_id: ${v}.memoryId, ${headOf(v, `${v}.at`)}, ${keptOf(v, [...kept, ...besides])}}`
