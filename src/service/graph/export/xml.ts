import type { Connection } from '../../../contract/connections.ts'
import { type Column, columnType } from './columns.ts'

/** The types of columns in XML, which has no lists and no objects: they are a JSON text. */
export const xmlTypes = {
  string: 'string',
  integer: 'long',
  float: 'double',
  time: 'string',
  strings: 'string',
  json: 'string',
}

/** What an edge is called, and what it joins. */
export function endsOf(each: Connection): string {
  const { source_id: source, connection } = each
  const id = `${source}:${columnType(each)}:${connection.target_id}`
  return `id="${id}" source="${source}" target="${connection.target_id}"`
}

/** The values of a memory or a connection, each as `cell` writes it. */
export const cells = <Of>(
  columns: readonly Column<Of>[],
  each: Of,
  cell: (name: string, text: string) => string,
): string =>
  columns
    .map(({ name, of: read }) => {
      const value = read(each)
      if (value === null) return ''
      return cell(name, Array.isArray(value) ? JSON.stringify(value) : String(value))
    })
    .join('')

/** A carriage return as it stands would be read as a line feed. */
export const inXml = (plain: string) =>
  plain
    .replaceAll(notInXml, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;')

/** Line feeds and tabs as they stand would be read as blanks. */
export const inAttribute = (plain: string) =>
  inXml(plain).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')

/** All but the characters that XML 1.0 allows. */
const notInXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu
