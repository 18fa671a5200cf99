import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import { type MemoryColumns, memoryColumns, memoryOf, spaceParameter } from '../neo4j/projections.ts'
import { read, write } from '../neo4j/statements.ts'
import { appendRecall } from './recalls.ts'

/** Reads one memory. With `record`, records a recall in the same transaction. */
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
      ${appendRecall}
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

/** Those of the memories that have their vector, and whose present content was discovered or is archived. */
export async function getSettled(ctx: Context, ids: readonly string[]): Promise<Memory[]> {
  const rows = await read<{ memory: MemoryColumns }>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    WHERE m[$space.truncated] IS NOT NULL AND (m.discoveredRevision = m.revision OR m.state = 'archived')
    RETURN ${memoryColumns('m')} AS memory`,
    { tenant: ctx.tenant, ids, space: spaceParameter(ctx) },
  )
  return rows.map(({ memory }) => memoryOf(ctx, memory))
}

/** Whether a memory has a content. */
export async function hasContent(ctx: Context, id: string, content: string): Promise<boolean> {
  const [row] = await read<{ same: boolean }>(
    ctx,
    `CYPHER 25
    MATCH (m:Memory {tenant: $tenant, id: $id}) USING INDEX SEEK m:Memory(tenant, id)
    RETURN m.content = $content AS same`,
    { id, content, tenant: ctx.tenant },
  )
  return row?.same === true
}
