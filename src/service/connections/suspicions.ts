import type { Context } from '../../context.ts'
import { ServiceError } from '../../contract/problems.ts'
import {
  findSuspicion,
  getTexts,
  type ReviewOutcome,
  type Suspected,
  settleSuspicion,
} from '../../store/connections/suspicions.ts'
import { int } from '../../store/neo4j/statements.ts'
import type { Handler } from '../handler.ts'
import { connectPair } from './connections.ts'
import { LONGEST, suspect } from './suspicion/compare.ts'

/** So many of the nearest memories are compared. */
const COMPARED = 20

/** Which of its neighbours, nearest first, a memory may contradict. No model is asked. */
export async function suspectConflicts(
  ctx: Context,
  memory: { id: string; revision: number },
  neighbours: readonly { id: string }[],
): Promise<Suspected[]> {
  if (neighbours.length === 0) return []
  const ids = neighbours.slice(0, COMPARED).map(({ id }) => id)
  const texts = await getTexts(ctx, [memory.id, ...ids], LONGEST)
  const subject = texts.get(memory.id)
  if (subject?.revision !== memory.revision) return []
  return ids.flatMap((id): Suspected[] => {
    const other = texts.get(id)
    if (!other) return []
    // Later ids first: then a reason does not depend on which of the two was discovered last.
    const [one, two] = id > subject.id ? [other, subject] : [subject, other]
    const suspicion = suspect(one.content, two.content)
    return suspicion ? [{ id, revision: int(other.revision), ...suspicion }] : []
  })
}

export const reviewConflict: Handler<'reviewConflict'> = async (
  ctx,
  { source_id: sourceId, target_id: targetId, outcome },
) => {
  const newer = await review(ctx, [sourceId, targetId], outcome)
  if (newer === undefined)
    throw new ServiceError('connection_not_found', `No conflict of ${sourceId} and ${targetId} is suggested.`)
  return { source_id: newer, target_id: newer === sourceId ? targetId : sourceId, status: outcome }
}

/** Makes a conflict of a suggestion. Answers whether there was one. */
export const confirmSuspicion = async (ctx: Context, ids: readonly [string, string]): Promise<boolean> =>
  (await review(ctx, ids, 'confirmed')) !== undefined

/**
 * Answers the newer of the two; undefined if nothing is suggested of them. The conflict comes first: a repeat after a failure finds
 * the suggestion still there.
 */
async function review(
  ctx: Context,
  ids: readonly [string, string],
  outcome: ReviewOutcome,
): Promise<string | undefined> {
  const found = await findSuspicion(ctx, ids, outcome)
  if (!found) return undefined
  const { newer, reason } = found
  const older = newer === ids[0] ? ids[1] : ids[0]
  if (outcome === 'confirmed')
    await connectPair(ctx, {
      source_id: newer,
      target_id: older,
      relationship_type: 'contradicts',
      reason: reason ?? undefined,
    })
  await settleSuspicion(ctx, { newer, older, outcome })
  return newer
}
