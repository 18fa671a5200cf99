import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import { ServiceError } from '../../contract/problems.ts'
import { getMemoriesAsOf } from '../../store/memories/as-of.ts'
import { getMemories } from '../../store/memories/get.ts'

/** Memories by id, of the present or as of a time. @throws ServiceError `version_not_found` for one whose version of then is not kept */
export async function memoriesAt(
  ctx: Context,
  ids: readonly string[],
  asOf: number | undefined,
): Promise<Map<string, Memory>> {
  if (asOf === undefined) return getMemories(ctx, ids)
  const found = await getMemoriesAsOf(ctx, ids, asOf)
  return new Map([...found].map(([id, memory]) => [id, memory ?? notKept(id)]))
}

function notKept(id: string): never {
  throw new ServiceError(
    'version_not_found',
    `The version that the memory ${id} had at \`as_of\` is no longer kept.`,
  )
}
