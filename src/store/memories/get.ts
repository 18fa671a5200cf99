import type { Context, GroupCommit } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { type MemoryColumns, memoryColumns, memoryOf, NOW, spaceParameter } from '../neo4j/projections.ts'
import { read, readValues } from '../neo4j/statements.ts'
import { isBurstOver } from './recalls.ts'

/** One memory, and whether a recall of it would count: within the burst of another it does not. */
export async function getMemory(
  ctx: Context,
  id: string,
  { embedding }: { embedding: boolean },
): Promise<{ memory: Memory; recallCounts: boolean } | undefined> {
  const [row] = await read<{ memory: MemoryColumns; recallCounts: boolean; vector?: number[] | null }>(
    ctx,
    `MATCH (m:Memory {tenant: $tenant, id: $id}) USING INDEX SEEK m:Memory(tenant, id)
    WHERE m.version IS NOT NULL AND m.removedBy IS NULL
    RETURN ${memoryColumns('m')} AS memory, ${isBurstOver('m', NOW)} AS recallCounts${embedding ? ', m[$space.property] AS vector' : ''}`,
    { id, tenant: ctx.tenant, space: spaceParameter(ctx) },
  )
  if (!row) return undefined
  const memory = memoryOf(ctx, row.memory)
  if (embedding) memory.embedding.vector = row.vector ?? null
  return { memory, recallCounts: row.recallCounts }
}

/** Memories by id, those of the tenant only, in no order. */
export async function getMemories(ctx: Context, ids: readonly string[]): Promise<Map<string, Memory>> {
  const found = await readValues<MemoryColumns>(
    ctx,
    `UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    RETURN ${memoryColumns('m')} AS memory`,
    { ids, tenant: ctx.tenant, space: spaceParameter(ctx) },
  )
  return new Map(found.map(columns => [columns[0], memoryOf(ctx, columns)]))
}

/**
 * Those of the memories that have their vector, and whose present content was discovered or is archived. All who wait
 * ask in one statement, so that they take no part of the tenant's share.
 */
export async function getDiscovered(ctx: Context, ids: readonly string[]): Promise<Memory[]> {
  const found = await ctx.app.groupCommits.commit(discovered, ctx, { tenant: ctx.tenant, ids })
  return found.map(columns => memoryOf(ctx, columns))
}

type Asked = { readonly tenant: string; readonly ids: readonly string[] }

const discovered: GroupCommit<Asked, MemoryColumns[]> = {
  rows: 128,
  size: 1_000,
  sizeOf: ({ ids }) => ids.length,
  async commit(caller, space, asked) {
    const rows = await read<{ at: number; memory: MemoryColumns }>(
      caller,
      `UNWIND $rows AS row
      MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
      WHERE m[$space.truncated] IS NOT NULL AND (m.discoveredRevision = m.revision OR m.state = 'archived')
      RETURN row.at AS at, ${memoryColumns('m')} AS memory`,
      {
        rows: asked.flatMap(({ tenant, ids }, at) => ids.map(id => ({ tenant, id, at }))),
        space: spaceParameter({ space }),
      },
    )
    return asked.map((_, at) => rows.filter(row => row.at === at).map(({ memory }) => memory))
  },
}

/** Which of some memories each of these tenants has, also of those that maintenance has removed and keeps for an undo. */
export const storedIn = (
  caller: Caller,
  tenants: readonly string[],
  ids: readonly string[],
): Promise<{ tenant: string; id: string }[]> =>
  read(
    caller,
    `UNWIND $tenants AS tenant
    UNWIND $ids AS id
    CALL (tenant, id) {
      MATCH (m:Memory {tenant: tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
      RETURN m.id AS found
      UNION
      MATCH (m:RemovedMemory {tenant: tenant, id: id}) USING INDEX SEEK m:RemovedMemory(tenant, id)
      RETURN m.id AS found
    }
    RETURN DISTINCT tenant, id`,
    { tenants, ids },
  )

/** Whether a memory has a content. */
export async function hasContent(ctx: Context, id: string, content: string): Promise<boolean> {
  const [same = false] = await readValues<boolean>(
    ctx,
    `MATCH (m:Memory {tenant: $tenant, id: $id}) USING INDEX SEEK m:Memory(tenant, id)
    RETURN m.content = $content AS same`,
    { id, content, tenant: ctx.tenant },
  )
  return same
}
