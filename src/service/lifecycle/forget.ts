import type { Context } from '../../context.ts'
import type { Parsed } from '../../contract/index.ts'
import { invalid } from '../../contract/problems.ts'
import { readLifecycles } from '../../store/lifecycle/due.ts'
import type { LifecycleRow, PlannedChange } from '../../store/lifecycle/figures.ts'
import { readMatching } from '../../store/lifecycle/matching.ts'
import type { ArchivedReason } from '../../store/memories/archive.ts'
import type { SearchFilter } from '../../store/search/filter.ts'
import { toFilters, validityOf } from '../memories/filters.ts'
import { changeOf, figuresOf, noticed } from './compute.ts'

type Filters = NonNullable<Parsed<'planMaintenance'>['filters']>

/** Filters as searches have them. Validity counts only where it is asked for. */
export const plannedFilter = ({ valid_at = 'any', ...filters }: Filters): SearchFilter => ({
  ...toFilters(filters),
  states: ['active'],
  validAt: validityOf(valid_at),
})

/** The memories that a plan to forget archives, at most `limit`, and whether there are more. */
export async function forgetMatching(
  ctx: Context,
  filters: Filters | undefined,
  { at, limit }: { at: number; limit: number },
): Promise<{ changes: PlannedChange[]; truncated: boolean }> {
  if (!filters || isEmptyFilter(filters))
    throw invalid(
      '/filters',
      'empty',
      'must have at least one filter: a plan to forget never means all memories',
    )
  const ids = await readMatching(ctx, plannedFilter(filters), limit + 1)
  const rows = await readLifecycles(ctx, ids.slice(0, limit))
  return {
    changes: rows.map(row =>
      archiveAs(row, at, { archivedReason: 'forgotten', reason: 'it matches the filters', rule: 'forget' }),
    ),
    truncated: ids.length > limit,
  }
}

/** `tags_match` says nothing by itself, and neither does `valid_at` where it takes any. */
export const isEmptyFilter = ({ tags_match: _match, valid_at, ...filters }: Filters) =>
  (valid_at === undefined || valid_at === 'any') && Object.values(filters).every(value => value === undefined)

/**
 * Refuses an empty list or object, which could be one that a caller failed to fill: as no filter it would widen what is
 * archived or removed. @throws ServiceError `validation_failed`
 */
export function refuseEmptyFilters(filters: Filters = { tags_match: 'all' }) {
  const [name] =
    Object.entries(filters).find(([, value]) => isObject(value) && Object.keys(value).length === 0) ?? []
  if (name) throw invalid(`/filters/${name}`, 'empty', 'must not be empty. To not filter by it, leave it out')
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

type Why = { archivedReason: ArchivedReason; reason: string; rule: string }

export const archiveAs = (
  row: LifecycleRow,
  at: number,
  { archivedReason, reason, rule }: Why,
): PlannedChange =>
  changeOf(
    row,
    'archive',
    reason,
    rule,
    noticed(row, at, { ...figuresOf(row), state: 'archived', archivedAt: at, archivedReason }),
  )
