import type { Context, GroupCommit, Space } from '../../context.ts'
import type { Memory, NewMemory } from '../../contract/memories.ts'
import { ownVector } from '../embeddings/vectors.ts'
import { recordMemoryChange } from '../feed/record.ts'
import { queueDiscovery } from '../jobs/enqueue.ts'
import { type MemoryColumns, memoryColumns, memoryOf, NOW, spaceParameter } from '../neo4j/projections.ts'
import { type Caller, int, write } from '../neo4j/statements.ts'
import { keyProperties, liveUntil, scopeToken } from '../neo4j/tokens.ts'
import { propertiesOf } from './fields.ts'

export type MemoryRow = NewMemory & {
  id: string
  embedding: { vector: Float32Array; truncated: boolean } | null
}

/**
 * Stores memories with their queued discovery, all or none. Keyed by id: running it again changes nothing.
 * Answers in the order of the rows.
 */
export async function createMemories(ctx: Context, memories: readonly MemoryRow[]): Promise<Memory[]> {
  const stored = await storeRows(
    ctx,
    ctx.space,
    memories.map(memory => rowOf(ctx, memory)),
  )
  return stored.map(columns => memoryOf(ctx, columns))
}

/** Stores one memory like `createMemories`, in one commit with those that are created at the same time. */
export async function createMemory(ctx: Context, memory: MemoryRow): Promise<Memory> {
  return memoryOf(ctx, await ctx.app.groupCommits.commit(creates, ctx, rowOf(ctx, memory)))
}

type StoredRow = ReturnType<typeof rowOf>

const rowOf = ({ tenant }: Context, { id, embedding, ...memory }: MemoryRow) => ({
  id,
  tenant,
  ttlSeconds: int(memory.ttl_seconds),
  vector: embedding && ownVector(tenant, id, embedding.vector),
  truncated: embedding?.truncated ?? null,
  properties: {
    tenant,
    scope: scopeToken(tenant, 'active'),
    content: memory.content,
    ...propertiesOf(memory),
    ...keyProperties(memory),
  },
})

/** Far from what a transaction may take, with the vectors and the entries of the indexes in addition to the contents. */
const MOST_BYTES = 4 * 1024 * 1024

/** One commit at a time: the more rows it has, the less each of them costs. */
const creates: GroupCommit<StoredRow, MemoryColumns> = {
  queue: 'create',
  rows: 128,
  size: MOST_BYTES,
  sizeOf: ({ properties }) => Buffer.byteLength(properties.content),
  commit: storeRows,
}

/** The rows can be of several tenants: each names its own. */
async function storeRows(caller: Caller, space: Space, rows: readonly StoredRow[]): Promise<MemoryColumns[]> {
  const stored = await write<{ memory: MemoryColumns }>(
    caller,
    `CYPHER 25
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
    CALL (m) { ${queueDiscovery} }
    CALL (m) {
      WITH m WHERE m.isNew
      REMOVE m.isNew
      ${recordMemoryChange('created', 'm')}
    }
    RETURN ${memoryColumns('m')} AS memory`,
    { rows, space: spaceParameter({ space }) },
  )
  const byId = new Map(stored.map(({ memory }) => [memory[0], memory]))
  return rows.map(({ id }) => byId.get(id) as MemoryColumns)
}
