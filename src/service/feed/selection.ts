import type { Context, Glimpse, Looking, NumberedChange } from '../../context.ts'
import type { ChangeKind } from '../../contract/changes.ts'
import { invalid } from '../../contract/problems.ts'
import { type Filters, toFilter } from '../memories/filters.ts'
import { passing } from '../memories/passing.ts'
import { memoriesOf } from './glimpses.ts'
import { StandingSearch } from './standing.ts'

/** A change that somebody wants. */
export type SelectedChange = NumberedChange & { readonly relevance: number | null }

/** Which changes a reader of the feed wants: one language for lists, streams, subscriptions and webhooks. */
type Wanted = {
  readonly kinds?: readonly ChangeKind[] | null | undefined
  readonly memory_ids?: readonly string[] | undefined
  readonly filters?: Filters | null | undefined
  readonly matches?: string | null | undefined
  readonly min_relevance?: number | null | undefined
}

export type Selection = {
  readonly isOfKind: (change: NumberedChange) => boolean
  /** The kinds that are read of the feed; undefined for all that are shown unasked. */
  readonly kinds: readonly ChangeKind[] | undefined
  readonly passes: ((memory: Glimpse) => boolean) | undefined
  readonly search: StandingSearch | undefined
}

/** Late vectors are no changes of what a memory says: those who do not ask for them do not see them. */
const LATE = 'embedded'

/** @throws ServiceError `validation_failed` */
export function toSelection({ kinds, memory_ids, filters, matches, min_relevance }: Wanted): Selection {
  if (matches == null && min_relevance != null)
    throw invalid('/min_relevance', 'without_matches', 'needs `matches`, the question that it is about')
  const search = matches == null ? undefined : new StandingSearch(matches, min_relevance ?? undefined)
  const wanted = kinds == null ? undefined : [...kinds, ...(search ? ([LATE] as const) : [])]
  const isOfMemory = (change: NumberedChange) =>
    memory_ids === undefined || memoriesOf(change).some(id => memory_ids.includes(id))
  return {
    isOfKind: change =>
      (wanted ? wanted.includes(change.kind) : search !== undefined || change.kind !== LATE) &&
      isOfMemory(change),
    kinds: wanted,
    passes: filters == null ? undefined : passing(toFilter(filters)),
    search,
  }
}

/** The changes among these that are wanted. @throws ServiceError `embedding_unavailable` */
export async function select(
  given: Context,
  changes: readonly NumberedChange[],
  selection: Selection,
  look: Looking,
): Promise<SelectedChange[]> {
  const { passes, search, isOfKind } = selection
  const possible = changes.filter(isOfKind)
  if (!passes && !search) return possible.map(change => ({ ...change, relevance: null }))
  // The space may have changed since a stream began.
  const ctx = { ...given, ...given.app.embeddings.active() }
  const compare = await search?.compare(ctx)
  if (possible.length === 0) return []
  const memories = await look(ctx, possible, search !== undefined)
  return possible.flatMap((change): SelectedChange[] => {
    const known = memories(change)
    const isFree = !passes || (change.kind === 'removed' && !compare)
    const passed = isFree ? known : known.filter(passes)
    if (!isFree && passed.length === 0) return []
    if (!compare) return [{ ...change, relevance: null }]
    const relevance = passed[0] && compare(change, passed[0])
    return relevance === undefined ? [] : [{ ...change, relevance }]
  })
}
