import type { Context } from '../../context.ts'
import { invalid } from '../../contract/problems.ts'
import { readLifecycles } from '../../store/lifecycle/due.ts'
import type { LifecycleRow, PlannedChange } from '../../store/lifecycle/figures.ts'
import { readMatching } from '../../store/lifecycle/matching.ts'
import { isFiltered } from '../../store/memories/filter.ts'
import { type Filters, toFilter } from '../memories/filters.ts'
import type { ArchivedReason } from '../memories/rules.ts'
import { changeOf, figuresOf, noticed } from './compute.ts'

/** What a plan to forget archives behind a memory, in the order of the ids, at most `limit`; and behind which it continues. */
export async function forgetMatching(
  ctx: Context,
  filters: Filters | undefined,
  { at, limit, after }: { at: number; limit: number; after: string },
): Promise<{ changes: PlannedChange[]; next: string | null }> {
  const filter = toFilter(filters)
  if (!isFiltered(filter))
    throw invalid(
      '/filters',
      'empty',
      'must have at least one filter: a plan to forget never means all memories',
    )
  const found = await readMatching(ctx, filter, { after, limit: limit + 1 })
  const ids = found.slice(0, limit)
  const rows = await readLifecycles(ctx, ids)
  return {
    changes: rows.map(row =>
      archiveAs(row, at, { archivedReason: 'forgotten', reason: 'it matches the filters', rule: 'forget' }),
    ),
    next: found.length > limit ? (ids.at(-1) ?? null) : null,
  }
}

/**
 * Refuses an empty list or object, which could be one that a caller failed to fill: as no filter it would widen what is
 * archived or removed. @throws ServiceError `validation_failed`
 */
export function refuseEmptyFilters(filters: object = {}, pointer = '/filters') {
  for (const [name, value] of Object.entries(filters)) {
    if (typeof value !== 'object' || value === null) continue
    const place = `${pointer}/${name}`
    if (Object.keys(value).length === 0)
      throw invalid(place, 'empty', 'must not be empty. To not filter by it, leave it out')
    refuseEmptyFilters(value, place)
  }
}

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
