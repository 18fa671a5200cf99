import type { Context } from '../../context.ts'
import { readLifecycles } from '../../store/lifecycle/due.ts'
import { archivedAtLatest } from './compute.ts'
import { policiesOf } from './policies.ts'

/** When maintenance will archive a memory if nobody recalls or changes it; null if it will not. */
export async function fadesAt(ctx: Context, id: string): Promise<string | null> {
  const [[row], policies] = await Promise.all([readLifecycles(ctx, [id]), policiesOf(ctx)])
  const at = row && archivedAtLatest(row, policies)
  return at === undefined ? null : new Date(at).toISOString()
}
