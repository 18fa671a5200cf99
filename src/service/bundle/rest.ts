import { isBuiltIn } from '../../contract/policies.ts'
import { removeOtherConnections } from '../../store/bundle/import-connections.ts'
import { removeOthers } from '../../store/bundle/import-memories.ts'
import * as policies from '../../store/lifecycle/policies.ts'
import type { Part } from './state.ts'

const AT_A_TIME = 500
const LONGEST_MS = 4_000

/**
 * Removes what was there before the import began and is not in the bundle, for some seconds; false when there is more.
 * A dry run does not report what only a write would show.
 */
export async function removeRest({ ctx, state, dryRun }: Part): Promise<boolean> {
  const { run, began, totals } = state
  const { updated, unchanged, kept } = totals.memories
  if (dryRun) {
    totals.memories.removed = Math.max(0, state.memories - updated - unchanged - kept - state.exempt)
    return true
  }
  const until = performance.now() + LONGEST_MS
  for (const [remove, counts] of [
    [removeOthers, totals.memories],
    [removeOtherConnections, totals.connections],
  ] as const)
    for (let removed = 1; removed > 0; counts.removed += removed) {
      if (performance.now() > until) return false
      removed = await remove(ctx, run, began, AT_A_TIME)
    }
  for (const name of await policies.policiesNotIn(ctx, run))
    if ((await policies.deletePolicy(ctx, name, { replaced: isBuiltIn(name) })) === 'deleted')
      totals.policies.removed += 1
  return true
}
