import type { Connection } from '../../../contract/connections.ts'
import { type Column, columnType, connectionColumns, nodeColumns } from './columns.ts'
import type { GraphWriter } from './writer.ts'
import { cells, endsOf, inXml, xmlTypes } from './xml.ts'

/**
 * GraphML, as NetworkX, Gephi, yEd and igraph read it. An edge has its `type`, and a `weight` that is 1 where no strength
 * was given. What XML cannot hold becomes U+FFFD.
 */
export function graphml(tenant: string): GraphWriter {
  const nodes = nodeColumns(tenant).filter(({ name }) => name !== 'id')
  const edges: Column<Connection>[] = [
    { name: 'type', type: 'string', of: columnType },
    { name: 'weight', type: 'float', of: r => r.connection.strength ?? 1 },
    ...connectionColumns(tenant),
  ]
  return {
    head: [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
      ...nodes.map(key('node')),
      ...edges.map(key('edge')),
      `<graph id="${tenant}" edgedefault="directed">\n`,
    ].join('\n'),
    nodes: page =>
      page.map(each => `<node id="${each.id}">${cells(nodes, each, data('node'))}</node>\n`).join(''),
    edges: page =>
      page.map(each => `<edge ${endsOf(each)}>${cells(edges, each, data('edge'))}</edge>\n`).join(''),
    tail: '</graph>\n</graphml>\n',
  }
}

const key =
  (of: 'node' | 'edge') =>
  ({ name, type }: Pick<Column<never>, 'name' | 'type'>) =>
    `<key id="${of}-${name}" for="${of}" attr.name="${name}" attr.type="${xmlTypes[type]}"/>`

const data = (of: 'node' | 'edge') => (name: string, text: string) =>
  `<data key="${of}-${name}">${inXml(text)}</data>`
