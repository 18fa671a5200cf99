import type { Context } from '../../../context.ts'
import type { Memory } from '../../../contract/memory.ts'
import { listConflicts } from '../../../store/connections/conflicts.ts'
import { isFiltered, type MemoryFilter } from '../../../store/memories/filter.ts'
import type { ListQuery } from '../../../store/memories/ordering.ts'
import { partsOf } from '../../access/private.ts'
import { firstOf } from '../../memories/list.ts'

/** Why a memory stands in a context that nobody asked a question for. */
type Standing = 'pinned' | 'conflict' | 'used' | 'recent'

export type Candidate = { readonly memory: Memory; readonly role: Standing }

const EACH = 10
/** Memories that were recalled last, among which those that are recalled most are found. */
const RECALLED = 50
const CONFLICTS = 5

/**
 * What is worth knowing without a question, the best first: pinned memories, then by turns one of an open conflict, one that
 * is used most, and one of the newest.
 */
export async function candidatesWithoutQuestion(ctx: Context, filter: MemoryFilter): Promise<Candidate[]> {
  const list = async (orderBy: ListQuery['orderBy'], count: number, policy = filter.policy) => {
    const query: ListQuery = {
      states: ['active'],
      orderBy,
      order: 'desc',
      after: undefined,
      filter: { ...filter, policy },
    }
    return firstOf(ctx, query, count)
  }
  const isPinnedWanted = filter.policy === undefined || filter.policy === 'pinned'
  const pinned = isPinnedWanted ? await list('importance', EACH, 'pinned') : []
  const recalled = await list('last_recalled_at', RECALLED)
  const newest = await list('created_at', 2 * EACH)
  const used = recalled
    .filter(({ recall_count }) => recall_count > 0)
    .sort((a, b) => b.recall_count - a.recall_count)
  const known = new Set([...pinned, ...recalled, ...newest].map(({ id }) => id))
  const isOpen = !isFiltered({ ...filter, validAt: 'any' })
  const open = partsOf(ctx).map(part =>
    listConflicts(part, { after: undefined, offset: 0, limit: CONFLICTS }),
  )
  const conflicts = (await Promise.all(open))
    .flat()
    .map(({ source }) => source)
    .filter(({ id }) => isOpen || known.has(id))
  const turns = Array.from({ length: EACH }, (_, at) => [
    ...as('conflict', conflicts.slice(at, at + 1)),
    ...as('used', used.slice(at, at + 1)),
    ...as('recent', newest.slice(2 * at, 2 * at + 2)),
  ])
  return onceEach([...as('pinned', pinned), ...turns.flat()])
}

const as = (role: Standing, memories: readonly Memory[]): Candidate[] =>
  memories.map(memory => ({ memory, role }))

const onceEach = (candidates: readonly Candidate[]) =>
  [...new Map(candidates.toReversed().map(each => [each.memory.id, each])).values()].toReversed()
