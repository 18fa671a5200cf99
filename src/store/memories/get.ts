import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memories.ts'
import { unlock } from '../neo4j/lock.ts'
import { type MemoryColumns, memoryColumns, memoryOf, NOW, spaceParameter } from '../neo4j/projections.ts'
import { read, write } from '../neo4j/statements.ts'
import { lockMemory } from './write.ts'

/**
 * Reads one memory. With `record`, appends a recall event in the same transaction, unless one began within the last
 * 30 seconds: of those who come at once the first appends it, and the others find it.
 */
export async function getMemory(
  ctx: Context,
  id: string,
  { record, embedding }: { record: boolean; embedding: boolean },
): Promise<Memory | undefined> {
  const parameters = { id, tenant: ctx.tenant, space: spaceParameter(ctx) }
  const answer = `WITH m WHERE m.version IS NOT NULL AND m.removedBy IS NULL
      RETURN ${memoryColumns('m')} AS memory${embedding ? ', m[$space.property] AS vector' : ''}`
  const text = record
    ? `CYPHER 25
      MATCH (m:Memory {tenant: $tenant, id: $id}) USING INDEX SEEK m:Memory(tenant, id)
      CALL (m) {
        WITH m, ${NOW} AS now WHERE ${isOver('m', 'now')}
        ${lockMemory}
        WITH m, ${NOW} AS now
        WITH m, now, ${isOver('m', 'now')} AS isFirst
        ${unlock('m')}
        WITH m, now WHERE isFirst
        CREATE (:Recall {id: randomUUID(), tenant: m.tenant, memoryId: m.id, at: now})
        SET m.recallCount = m.recallCount + 1, m.lastRecalledAt = now, m.recallOrder = now.epochMillis,
          m.recallBurstEnds = now.epochMillis + ${BURST_MS}
      }
      ${answer}`
    : `CYPHER 25
      MATCH (m:Memory {tenant: $tenant, id: $id}) USING INDEX SEEK m:Memory(tenant, id)
      ${answer}`
  const [row] = await (record ? write : read)<{ memory: MemoryColumns; vector?: number[] | null }>(
    ctx,
    text,
    parameters,
  )
  if (!row) return undefined
  const memory = memoryOf(ctx, row.memory)
  if (embedding) memory.embedding.vector = row.vector ?? null
  return memory
}

/** So long repeats of a recall merge into one. */
export const BURST_MS = 30_000

/** Whether the last burst of recalls has ended; one that ends later than it could was written by a clock that ran ahead. */
const isOver = (m: string, now: string) =>
  `NOT 0 < coalesce(${m}.recallBurstEnds - ${now}.epochMillis, 0) <= ${BURST_MS}`

/** Memories by id, those of the tenant only, in no order. */
export async function getMemories(ctx: Context, ids: readonly string[]): Promise<Map<string, Memory>> {
  const rows = await read<{ memory: MemoryColumns }>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    RETURN ${memoryColumns('m')} AS memory`,
    { ids, tenant: ctx.tenant, space: spaceParameter(ctx) },
  )
  return new Map(rows.map(({ memory }) => [memory[0], memoryOf(ctx, memory)]))
}
