import type { Connection } from '../../../contract/connections.ts'
import { type Column, columnType, connectionColumns, nodeColumns } from './columns.ts'
import type { GraphWriter } from './writer.ts'
import { cells, endsOf, inAttribute, xmlTypes } from './xml.ts'

const LABEL = 60

/**
 * GEXF 1.3 with intervals, for the timeline of Gephi: a memory is there from its creation until it was archived, a
 * connection while it holds, or from its creation where it has no validity. What XML cannot hold becomes U+FFFD.
 */
export function gexf(tenant: string): GraphWriter {
  const nodes = nodeColumns(tenant).filter(({ name }) => name !== 'id')
  const edges: Column<Connection>[] = [
    { name: 'type', type: 'string', of: columnType },
    ...connectionColumns(tenant),
  ]
  return {
    head: [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<gexf xmlns="http://gexf.net/1.3" version="1.3">',
      '<meta><creator>Mnemograph</creator></meta>',
      '<graph mode="dynamic" defaultedgetype="directed" idtype="string" timeformat="dateTime" timerepresentation="interval">',
      attributes('node', nodes),
      attributes('edge', edges),
      '<nodes>\n',
    ].join('\n'),
    nodes: page =>
      page
        .map(each => {
          const label = each.content.replaceAll(/\s+/g, ' ').trim().slice(0, LABEL).toWellFormed()
          const span = spanOf(each.created_at, each.archived_at)
          return `<node id="${each.id}" label="${inAttribute(label)}"${span}>${values(nodes, each)}</node>\n`
        })
        .join(''),
    between: '</nodes>\n<edges>\n',
    edges: page =>
      page
        .map(each => {
          const type = columnType(each)
          const names = `label="${type}" kind="${type}" weight="${each.connection.strength ?? 1}"`
          return `<edge ${endsOf(each)} ${names}${heldSpan(each.connection)}>${values(edges, each)}</edge>\n`
        })
        .join(''),
    tail: '</edges>\n</graph>\n</gexf>\n',
  }
}

const spanOf = (start: string | null, end: string | null) =>
  `${start === null ? '' : ` start="${start}"`}${end === null ? '' : ` end="${end}"`}`

const heldSpan = ({ created_at, valid_from, valid_until }: Connection['connection']) =>
  spanOf(valid_from === null && valid_until === null ? created_at : valid_from, valid_until)

const attributes = (of: 'node' | 'edge', columns: readonly Pick<Column<never>, 'name' | 'type'>[]) =>
  [
    `<attributes class="${of}" mode="static">`,
    ...columns.map(({ name, type }) => `<attribute id="${name}" title="${name}" type="${xmlTypes[type]}"/>`),
    '</attributes>',
  ].join('\n')

const values = <Of>(columns: readonly Column<Of>[], each: Of) =>
  `<attvalues>${cells(columns, each, (name, text) => `<attvalue for="${name}" value="${inAttribute(text)}"/>`)}</attvalues>`
