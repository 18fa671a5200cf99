import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { ServiceError } from '../../contract/problems.ts'
import {
  getTexts,
  newerOfSuspicion,
  type ReviewOutcome,
  type Suspected,
  settleSuspicion,
} from '../../store/connections/suspicions.ts'
import { int } from '../../store/neo4j/statements.ts'
import { createConnection } from './connections.ts'
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

export async function reviewConflict(
  ctx: Context,
  { source_id: sourceId, target_id: targetId, outcome }: Parsed<'reviewConflict'>,
): Promise<Output<'reviewConflict'>> {
  const newer = await newerOfSuspicion(ctx, [sourceId, targetId], outcome)
  if (newer === undefined)
    throw new ServiceError('connection_not_found', `No conflict of ${sourceId} and ${targetId} is suggested.`)
  const older = newer === sourceId ? targetId : sourceId
  await review(ctx, newer, older, outcome)
  return { source_id: newer, target_id: older, status: outcome }
}

/** Makes a conflict of a suggestion. Answers whether there was one. */
export async function confirmSuspicion(ctx: Context, ids: readonly [string, string]): Promise<boolean> {
  const newer = await newerOfSuspicion(ctx, ids, 'confirmed')
  if (newer === undefined) return false
  await review(ctx, newer, newer === ids[0] ? ids[1] : ids[0], 'confirmed')
  return true
}

/** The conflict first: a repeat after a failure finds the suggestion still there. */
async function review(ctx: Context, newer: string, older: string, outcome: ReviewOutcome): Promise<void> {
  if (outcome === 'confirmed')
    await createConnection(ctx, { source_id: newer, target_id: older, relationship_type: 'contradicts' })
  await settleSuspicion(ctx, { newer, older, outcome })
}
