import type { Context, Looking, Selection } from '../../context.ts'
import type { ChangeKind } from '../../contract/changes.ts'
import { invalid } from '../../contract/problems.ts'
import type { NumberedChange, SelectedChange } from '../../store/feed/types.ts'
import { type Filters, toFilter } from '../memories/filters.ts'
import { passing } from '../memories/passing.ts'
import { memoriesOf } from './glimpses.ts'
import { StandingSearch } from './standing.ts'

/** One language for lists, streams, subscriptions and webhooks. */
type Wanted = {
  readonly kinds?: readonly ChangeKind[] | null | undefined
  readonly memory_ids?: readonly string[] | undefined
  readonly filters?: Filters | null | undefined
  readonly matches?: string | null | undefined
  readonly min_relevance?: number | null | undefined
}

/** Late vectors are no changes of what a memory says: those who do not ask for them do not see them. */
const LATE = 'embedded'
/** After which a memory may say something that a question is compared with. */
const COMPARABLE: readonly ChangeKind[] = ['created', 'updated', 'restored', 'promoted', LATE]

/** @throws ServiceError `validation_failed` */
export function toSelection({ kinds, memory_ids, filters, matches, min_relevance }: Wanted): Selection {
  if (matches == null && min_relevance != null)
    throw invalid('/min_relevance', 'without_matches', 'needs `matches`, the question that it is about')
  const search = matches == null ? undefined : new StandingSearch(matches, min_relevance ?? undefined)
  const wanted = search ? COMPARABLE.filter(kind => kind === LATE || !kinds || kinds.includes(kind)) : kinds
  const passes = filters == null ? undefined : passing(toFilter(filters))
  return {
    kinds: wanted ?? undefined,
    reads: search ? 'vectors' : passes ? 'memories' : 'nothing',
    isPossible: change =>
      (wanted ? wanted.includes(change.kind) : change.kind !== LATE) &&
      (memory_ids === undefined || memoriesOf(change).some(id => memory_ids.includes(id))),
    prepare: (ctx, profile) => search?.prepare(ctx, profile),
    pick(change, memories) {
      if (search) {
        const relevance = memories[0] && search.relevanceOf(change, memories[0], passes)
        return relevance === undefined ? undefined : { ...change, relevance }
      }
      const isWanted = !passes || change.kind === 'removed' || memories.some(passes)
      return isWanted ? { ...change, relevance: null } : undefined
    },
  }
}

/** The changes among these that are wanted. @throws ServiceError `embedding_unavailable` */
export async function select(
  given: Context,
  changes: readonly NumberedChange[],
  selection: Selection,
  look: Looking,
): Promise<SelectedChange[]> {
  const ctx = inActiveSpace(given)
  const { reads, isPossible, pick } = selection
  await prepareAll(ctx, [selection])
  const possible = changes.filter(isPossible)
  const memories =
    reads === 'nothing' || possible.length === 0 ? () => [] : await look(ctx, possible, reads === 'vectors')
  return possible.flatMap(change => pick(change, memories(change)) ?? [])
}

/** The space may have changed since a stream began. */
export const inActiveSpace = (ctx: Context): Context => ({ ...ctx, ...ctx.app.embeddings.active() })

/** Before they pick. Where one cannot be prepared, `failed` is told; without it that is thrown. */
export async function prepareAll(
  ctx: Context,
  selections: readonly Selection[],
  failed: (selection: Selection, error: unknown) => void = (_, error) => {
    throw error
  },
): Promise<void> {
  if (!selections.some(({ reads }) => reads === 'vectors')) return
  const profile = await ctx.app.tenantProfiles.get(ctx)
  const preparing = selections.flatMap(each => {
    const prepared = each.prepare(ctx, profile)
    return prepared ? [prepared.catch(error => failed(each, error))] : []
  })
  await Promise.all(preparing)
}
