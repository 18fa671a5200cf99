import { given } from '../shell/command.ts'
import { oneLine, shortTime, table } from '../shell/table.ts'
import type { Terminal } from '../shell/terminal.ts'

type FieldOf<Row> = Row extends unknown ? keyof Row & string : never

/** Columns of a table: fields, under their names, or under other headings a field or what is made of the row. */
export type Columns<Row> = readonly (
  | FieldOf<Row>
  | Readonly<Record<string, FieldOf<Row> | ((row: Row) => unknown)>>
)[]

export function showRows(
  rows: readonly Readonly<Record<string, unknown>>[],
  columns: Columns<Readonly<Record<string, unknown>>>,
  terminal: Terminal,
) {
  const headed = columns.flatMap(column =>
    Object.entries(typeof column === 'string' ? { [headingOf(column)]: column } : column),
  )
  const cells = rows.map(row =>
    headed.map(([, column]) => cellOf(typeof column === 'string' ? row[column] : column(row))),
  )
  terminal.say(
    table(
      terminal,
      headed.map(([heading]) => heading),
      cells,
    ),
  )
}

const headingOf = (field: string) => field.replace(/_at$/, '').replaceAll('_', ' ').toUpperCase()

/** Each field in a line of its own. */
export function showFields(fields: Readonly<Record<string, unknown>>, { say, paint }: Terminal) {
  const widest = Math.max(...Object.keys(fields).map(({ length }) => length))
  for (const [name, value] of Object.entries(fields))
    say(`${paint('bold', name.replaceAll('_', ' ').padEnd(widest))}  ${cellOf(value)}`)
}

type Paging = {
  next_cursor?: string | null
  next_after?: string | null
  next_before?: string | number | null
  has_more?: boolean
  truncated?: boolean
  weak_left_out?: number
  degraded?: boolean
  parts?: readonly string[]
}

/** What follows, and what may be missing. */
export function showNotes(answer: Paging, { note }: Pick<Terminal, 'note'>) {
  const { next_cursor: cursor, next_after: after, next_before: before } = answer
  const { has_more, truncated, degraded, parts = [], weak_left_out = 0 } = answer
  const [option, next] = Object.entries(given({ cursor, after, before })).find(([, at]) => at !== null) ?? []
  if (option) note(`There is more: --${option} ${next}`)
  else if (has_more) note('There is more; --limit shows it.')
  if (weak_left_out > 0) note(`${weak_left_out} weaker results are left out: --min-relevance 0 shows them.`)
  if (parts.length > 0) note('The question is long: its parts were searched for.')
  if (truncated) note('It ended at the bound on its work: something may be missing.')
  if (degraded) note('By words alone: the embedding provider gives no vector.')
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

export function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'string') return TIME.test(value) ? shortTime(value) : oneLine(value)
  if (Array.isArray(value)) return value.map(cellOf).join(', ') || '–'
  if (typeof value === 'object') return sumsOf(value) || '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return String(value)
}

/** Counts as “3 active, 1 archived”, without those that are 0; other fields as “name=value”. */
export const sumsOf = (fields: object): string =>
  Object.entries(fields)
    .flatMap(([name, value]) => {
      if (value === 0) return []
      return typeof value === 'number' ? `${value} ${name}` : `${name}=${value}`
    })
    .join(', ')
