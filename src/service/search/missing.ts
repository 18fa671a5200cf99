import type { Context } from '../../context.ts'
import { type MemoryFilter, statesAt } from '../../store/memories/filter.ts'
import { type FoundMemory, readHits, type WithCosine } from '../../store/search/hits.ts'

/** A memory that was found by its words alone is not compared yet. */
export type ReadMemory = FoundMemory & Partial<WithCosine>

/**
 * The memories of hits with their cosines with the `plain` query. What was not read or not compared with the hits is read in one
 * statement; what no longer passes then is missing.
 */
export async function withMissing(
  ctx: Context,
  known: readonly ReadMemory[],
  hits: readonly { readonly id: string }[],
  { filter, plain }: { filter: MemoryFilter; plain: Float32Array | undefined },
): Promise<Map<string, FoundMemory & WithCosine>> {
  const all = new Map<string, FoundMemory & WithCosine>()
  for (const { memory, conflicts, words, cosine } of known)
    if (cosine !== undefined || !plain)
      all.set(memory.id, { memory, conflicts, words, cosine: cosine ?? null })
  const missing = hits.flatMap(({ id }) => (all.has(id) ? [] : [id]))
  for (const each of await readHits(ctx, missing, plain))
    if (statesAt(filter).includes(each.memory.state)) all.set(each.memory.id, each)
  return all
}
