import type { Context } from '../../context.ts'
import { partOf, partsOf } from '../../service/access/private.ts'
import { OWNER } from './memory-id.ts'

/** The context of the tenant that a memory of the answer is in. */
export const contextOfMemory = (ctx: Context, memory: unknown): Context =>
  partsOf(ctx)[partOf(ctx, { owner: (memory as { [OWNER]?: string | null })[OWNER] ?? null })] ?? ctx
