import { z } from 'zod'
import type { Context } from '../../context.ts'
import { countedSections, sums } from '../../contract/bundle.ts'
import type { Output } from '../../contract/index.ts'

const countsSchema = z.object({
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  kept: z.int(),
  removed: z.int(),
})

export const stateSchema = z.object({
  run: z.string(),
  /** When the import began, by the database's clock, and how many memories there were. */
  began: z.number(),
  memories: z.int(),
  /** Of these, how many are in the bundle and left out; only a trial counts them. */
  exempt: z.int().default(0),
  lines: z.int(),
  sums,
  space: z.object({ provider: z.string(), model: z.string(), dimensions: z.int() }).nullable(),
  /** The section of the last line, which says what may follow. */
  last: z.enum(['bundle', ...countedSections, 'manifest']).nullable(),
  /** What a trial has not written, though memories refer to it. */
  policies: z.array(z.string()),
  /** Memories of the bundle that are not stored, each with the one that stands for it. */
  duplicates: z.array(z.tuple([z.string(), z.string()])).default([]),
  totals: z.object({
    policies: countsSchema,
    memories: countsSchema,
    versions: countsSchema,
    connections: countsSchema,
    earlier_connections: countsSchema,
    rejections: countsSchema,
    vectors: z.object({ taken: z.int(), left_out: z.int() }),
  }),
})

export type ImportState = z.infer<typeof stateSchema>

export type ImportTotals = Output<'importBundle'>['totals']

/** One part of a bundle on its way in. */
export type Part = {
  ctx: Context
  state: ImportState
  replace: boolean
  dryRun: boolean
  /** Whether a memory of the bundle is not stored if another one here says the same. */
  returns: boolean
  duplicates: Output<'importBundle'>['duplicates']
  leftOut: Output<'importBundle'>['left_out']
}
