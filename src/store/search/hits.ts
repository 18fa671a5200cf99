import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import { type MemoryColumns, memoryOf } from '../neo4j/projections.ts'

/** `score` is the cosine, -1 to 1 in steps of 1e-5, or what Lucene gave, which means something within one answer only. */
export type MemoryHit = { memory: Memory; score: number }

export type HitColumns = [memory: MemoryColumns, score: number]

/** All hits are one row's: rows of their own would cost the driver more. */
export const hitsOf = (ctx: Context, row: { hits: HitColumns[] } | undefined): MemoryHit[] =>
  (row?.hits ?? []).map(([memory, score]) => ({ memory: memoryOf(ctx, memory), score }))
