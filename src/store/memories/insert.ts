import type { Context, Space } from '../../context.ts'
import type { NewMemory } from '../../contract/memory.ts'
import { ownerOf } from '../../contract/private.ts'
import type { Usage } from '../../contract/tenants.ts'
import { ownVector } from '../embeddings/vectors.ts'
import { recordMemoryChange, recordNewMemory } from '../feed/record.ts'
import { newDiscovery, queueDiscoveryOf } from '../jobs/enqueue.ts'
import {
  columnsOf,
  inMillis,
  type MemoryColumns,
  memoryColumns,
  NOW,
  spaceParameter,
} from '../neo4j/projections.ts'
import { int, type Parameters } from '../neo4j/statements.ts'
import { FOREVER, keyProperties, liveUntil, scopeToken, textDigest } from '../neo4j/tokens.ts'
import { keyOf, type Said } from './duplicates.ts'
import { propertiesOf } from './fields.ts'
import { authorOf } from './write.ts'

export type MemoryRow = NewMemory & {
  id: string
  sensitive: readonly string[]
  embedding: { vector: Float32Array; truncated: boolean } | null
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
  { id, embedding, on_duplicate, supersedes: _supersedes, ...memory }: MemoryRow,
  limit: Usage | null,
) => ({
  id,
  tenant: ctx.tenant,
  limit,
  said: saidOf(ctx, id, { on_duplicate, ...memory }),
  isOnly: on_duplicate === 'return',
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

export type ReadyRow = StoredRow & { vector: NonNullable<StoredRow['vector']> }

export const isReady = (row: StoredRow): row is ReadyRow => row.vector !== null

/**
 * The rule: memories with their vectors whose ids nobody has. The statement looks for nothing and says the time alone. It
 * fails when an id is taken; `insert` does not.
 */
export async function createNew(
  run: Run,
  space: Space,
  rows: readonly ReadyRow[],
): Promise<Map<string, MemoryColumns>> {
  if (rows.length === 0) return new Map()
  const news = rows.map(row => ({ row, properties: newProperties(row, space) }))
  const created = await run<Created>(createRows, {
    rows: news.map(({ row: { tenant, id, ttlSeconds, vector, trace }, properties }) => ({
      ...{ tenant, id, ttlSeconds, vector, trace, properties },
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
export const newProperties = ({ id, properties, truncated }: ReadyRow, space: Space) => ({
  ...properties,
  ...{ id, state: 'active', health: 100, recallCount: int(0), recallOrder: int(0) },
  ...{ version: int(1), revision: int(1), [space.truncated]: truncated },
})

const createRows = `CYPHER 25
  UNWIND $rows AS row
  WITH row, ${NOW} AS now
  WITH row, now, CASE WHEN row.ttlSeconds > 0 THEN now + duration({seconds: row.ttlSeconds}) END AS expiresAt
  CREATE (m:Memory {tenant: row.tenant, id: row.id})
  SET m += row.properties, m.createdAt = now, m.updatedAt = now, m.expiresAt = expiresAt,
    m.liveUntil = coalesce(expiresAt.epochMillis, ${FOREVER}), m.counted = [1, 0, size(row.properties.content)]
  ${newDiscovery('row.trace')}
  ${recordNewMemory('m')}
  WITH m, row, now, expiresAt
  CALL db.create.setNodeVectorProperty(m, $property, row.vector)
  RETURN m.tenant AS tenant, m.id AS id, ${inMillis('now')} AS now, ${inMillis('expiresAt')} AS expiresAt`

/** The memories as they are now, by `keyOf`. */
export async function insert(
  run: Run,
  space: Space,
  rows: readonly StoredRow[],
): Promise<Map<string, MemoryColumns>> {
  if (rows.length === 0) return new Map()
  const parameters = { rows, space: spaceParameter({ space }) }
  const stored = await run<{ tenant: string; memory: MemoryColumns }>(insertRows, parameters)
  return new Map(stored.map(({ tenant, memory }) => [keyOf({ tenant, id: memory[0] }), memory]))
}

const insertRows = `CYPHER 25
  UNWIND $rows AS row
  WITH row, ${NOW} AS now
  MERGE (m:Memory {tenant: row.tenant, id: row.id})
  ON CREATE SET m += row.properties, m.state = 'active', m.health = 100.0, m.recallCount = 0, m.recallOrder = 0,
    m.version = 1, m.revision = 1, m.isNew = true, m.createdAt = now, m.updatedAt = now,
    m.expiresAt = CASE WHEN row.ttlSeconds > 0 THEN now + duration({seconds: row.ttlSeconds}) END
  ON CREATE SET m.liveUntil = ${liveUntil('m')}
  WITH m, row
  CALL (m, row) {
    WITH m, row WHERE row.vector IS NOT NULL AND m.version = 1
    SET m[$space.truncated] = row.truncated
    WITH m, row
    CALL db.create.setNodeVectorProperty(m, $space.property, row.vector)
  }
  CALL (m, row) { ${queueDiscoveryOf('row.trace')} }
  CALL (m) {
    WITH m WHERE m.isNew
    REMOVE m.isNew
    ${recordMemoryChange('created', 'm')}
  }
  RETURN row.tenant AS tenant, ${memoryColumns('m')} AS memory`
