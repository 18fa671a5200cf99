import { type Column, columnType, connectionColumns, nodeColumns, type Value } from './columns.ts'
import type { GraphWriter } from './writer.ts'

/** Between the tags of a memory: U+001F, made for this. A tag can contain any character that can be typed. */
const BETWEEN = '\u001f'

const types = {
  string: 'string',
  integer: 'long',
  float: 'double',
  time: 'datetime',
  strings: 'string[]',
  json: 'string',
}

/**
 * A table of nodes or of edges, whose head is that of `neo4j-admin database import`. Text is always quoted and never
 * changed: what begins with `=` is a formula only for a spreadsheet.
 */
export function csv(tenant: string, part: 'nodes' | 'edges', doubleBackslashes: boolean): GraphWriter {
  const quote = (text: string) =>
    `"${(doubleBackslashes ? text.replaceAll('\\', '\\\\') : text).replaceAll('"', '""')}"`
  const cell = (value: Value) => {
    if (value === null) return ''
    if (typeof value === 'number') return String(value)
    return quote(typeof value === 'string' ? value : value.join(BETWEEN))
  }
  const table =
    <Of>(columns: readonly { of: (each: Of) => Value }[]) =>
    (page: readonly Of[]) =>
      page.map(each => `${columns.map(({ of }) => cell(of(each))).join(',')}\n`).join('')
  const [id, ...rest] = nodeColumns(tenant)
  const edges = connectionColumns(tenant)
  return {
    head:
      part === 'nodes'
        ? `id:ID,${[...rest.map(head), ':LABEL'].join(',')}\n`
        : `:START_ID,:END_ID,:TYPE,${edges.map(head).join(',')}\n`,
    nodes: table([...(id ? [id] : []), ...rest, { of: () => 'Memory' }]),
    edges: table([
      { of: r => r.source_id },
      { of: r => r.connection.target_id },
      { of: columnType },
      ...edges,
    ]),
    tail: '',
  }
}

const head = <Of>({ name, type }: Column<Of>) => `${name}:${types[type]}`
