import type { Context } from '../../context.ts'
import { invalid } from '../../contract/problems.ts'
import { readLifecycles } from '../../store/lifecycle/due.ts'
import type { LifecycleRow, PlannedChange } from '../../store/lifecycle/figures.ts'
import type { ArchivedReason } from '../../store/memories/archive.ts'
import { isFiltered } from '../../store/memories/filter.ts'
import { readMatching } from '../../store/memories/matching.ts'
import { type Filters, toFilter } from '../memories/filters.ts'
import { changeOf, figuresOf, noticed } from './compute.ts'

/** The memories that a plan to forget archives, at most `limit`, and whether there are more. */
export async function forgetMatching(
  ctx: Context,
  filters: Filters | undefined,
  { at, limit }: { at: number; limit: number },
): Promise<{ changes: PlannedChange[]; truncated: boolean }> {
  const filter = toFilter(filters)
  if (!isFiltered(filter))
    throw invalid(
      '/filters',
      'empty',
      'must have at least one filter: a plan to forget never means all memories',
    )
  const ids = await readMatching(ctx, filter, limit + 1)
  const rows = await readLifecycles(ctx, ids.slice(0, limit))
  return {
    changes: rows.map(row =>
      archiveAs(row, at, { archivedReason: 'forgotten', reason: 'it matches the filters', rule: 'forget' }),
    ),
    truncated: ids.length > limit,
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
