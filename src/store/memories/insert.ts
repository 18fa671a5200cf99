import type { Context, Space } from '../../context.ts'
import type { NewMemory } from '../../contract/memory.ts'
import { ownerOf } from '../../contract/private.ts'
import type { Usage } from '../../contract/tenants.ts'
import { ownVector } from '../embeddings/vectors.ts'
import { recordNewMemory } from '../feed/record.ts'
import { newDiscovery } from '../jobs/enqueue.ts'
import { keyOf } from '../neo4j/lock.ts'
import { columnsOf, inMillis, type MemoryColumns, NOW } from '../neo4j/projections.ts'
import { int, type Parameters } from '../neo4j/statements.ts'
import { FOREVER, keyProperties, scopeToken, textDigest } from '../neo4j/tokens.ts'
import { authorOf } from './change.ts'
import type { Said } from './duplicates.ts'
import { propertiesOf } from './fields.ts'
import { readStates } from './states.ts'
import { recordWrite } from './written.ts'

export type MemoryRow = NewMemory & {
  id: string
  sensitive: readonly string[]
  embedding: { vector: Float32Array; truncated: boolean } | null
  /** Names the request that stores it, which must know whether it has. */
  writeId?: string
}

/** What decides whether another memory stands for a new one. */
export const saidOf = ({ tenant }: Context, id: string, memory: NewMemory): Said => ({
  id,
  tenant,
  digest: textDigest(memory.content),
  source: memory.source ?? null,
  sessionId: memory.session_id ?? null,
  ttl: memory.ttl_seconds,
  validFrom: memory.valid_from === undefined ? null : Date.parse(memory.valid_from),
  validUntil: memory.valid_until === undefined ? null : Date.parse(memory.valid_until),
})

export type StoredRow = ReturnType<typeof rowOf>

/** A memory as the statements take it. */
export const rowOf = (
  ctx: Context,
  { id, embedding, on_duplicate, writeId, supersedes: _supersedes, ...memory }: MemoryRow,
  limit: Usage | null,
) => ({
  id,
  tenant: ctx.tenant,
  limit,
  said: saidOf(ctx, id, { on_duplicate, ...memory }),
  isOnly: on_duplicate === 'return',
  writeId: writeId ?? null,
  ttlSeconds: int(memory.ttl_seconds),
  vector: embedding && ownVector(ctx.tenant, id, embedding.vector),
  truncated: embedding?.truncated ?? null,
  trace: ctx.app.neo4j.tracing?.traceparent() ?? null,
  properties: {
    tenant: ctx.tenant,
    author: authorOf(ctx),
    owner: ownerOf(ctx.tenant) ?? null,
    scope: scopeToken(ctx.tenant, 'active'),
    content: memory.content,
    policy: memory.policy,
    ...propertiesOf(memory),
    ...keyProperties(memory),
  },
})

export type Run = <T>(text: string, parameters: Parameters) => Promise<T[]>

/**
 * Creates memories whose ids nobody has, or fails. The statement looks for nothing and says the time alone. Returns them by
 * `keyOf`.
 */
export async function createNew(
  run: Run,
  space: Space,
  rows: readonly StoredRow[],
): Promise<Map<string, MemoryColumns>> {
  if (rows.length === 0) return new Map()
  const news = rows.map(row => ({ row, properties: newProperties(row, space) }))
  const created = await run<Created>(createRows, {
    rows: news.map(({ row: { tenant, id, ttlSeconds, vector, trace, writeId }, properties }) => ({
      ...{ tenant, id, ttlSeconds, vector, trace, properties },
      writeIds: writeId === null ? [] : [writeId],
    })),
    property: space.property,
  })
  const times = new Map(created.map(({ now, expiresAt, ...key }) => [keyOf(key), { now, expiresAt }]))
  return new Map(
    news.map(({ row, properties }) => {
      const { now, expiresAt } = times.get(keyOf(row)) as Pick<Created, 'now' | 'expiresAt'>
      const all = { ...properties, createdAt: now, updatedAt: now, expiresAt }
      return [keyOf(row), columnsOf({ space }, all)]
    }),
  )
}

type Created = { tenant: string; id: string; now: number; expiresAt: number | null }

/** What a new memory has, besides its times and its vector. */
export const newProperties = ({ id, properties, truncated }: StoredRow, space: Space) => ({
  ...properties,
  ...{ id, state: 'active', health: 100, recallCount: int(0), recallOrder: int(0) },
  ...{ version: int(1), revision: int(1), [space.truncated]: truncated },
})

const createRows = `UNWIND $rows AS row
  WITH row, ${NOW} AS now
  WITH row, now, CASE WHEN row.ttlSeconds > 0 THEN now + duration({seconds: row.ttlSeconds}) END AS expiresAt
  CREATE (m:Memory {tenant: row.tenant, id: row.id})
  SET m += row.properties, m.createdAt = now, m.updatedAt = now, m.expiresAt = expiresAt,
    m.liveUntil = coalesce(expiresAt.epochMillis, ${FOREVER}), m.counted = [1, 0, size(row.properties.content)]
  FOREACH (writeId IN row.writeIds | ${recordWrite('m', 'writeId')})
  ${newDiscovery('row.trace')}
  ${recordNewMemory('m')}
  WITH m, row, now, expiresAt
  CALL (m, row) {
    WITH m, row WHERE row.vector IS NOT NULL
    CALL db.create.setNodeVectorProperty(m, $property, row.vector)
  }
  RETURN m.tenant AS tenant, m.id AS id, ${inMillis('now')} AS now, ${inMillis('expiresAt')} AS expiresAt`

/** Creates those that are missing. Returns all as they are now, by `keyOf`. */
export async function createMissing(
  run: Run,
  space: Space,
  rows: readonly StoredRow[],
): Promise<Map<string, MemoryColumns>> {
  const there = await readStates(
    run,
    space,
    rows.map(({ tenant, id }) => ({ tenant, id, isWhole: true })),
  )
  const known = there.map(state => [keyOf(state), state.columns] as const)
  const ids = new Set(known.map(([key]) => key))
  const created = await createNew(
    run,
    space,
    rows.filter(row => !ids.has(keyOf(row))),
  )
  return new Map([...known, ...created])
}
