import { type Column, columnType, connectionColumns, nodeColumns, type Value } from './columns.ts'
import type { GraphWriter } from './writer.ts'
import { inXml } from './xml.ts'

const types = {
  string: 'string',
  integer: 'long',
  float: 'double',
  time: 'string',
  strings: 'string',
  json: 'string',
}

/**
 * GraphML, as NetworkX, Gephi, yEd and igraph read it. It has no lists: tags are a JSON text. An edge has its `type`,
 * and a `weight` that is 1 where no strength was given. What XML cannot hold becomes U+FFFD.
 */
export function graphml(tenant: string): GraphWriter {
  const nodes = nodeColumns(tenant).filter(({ name }) => name !== 'id')
  const edges: Column<Parameters<typeof columnType>[0]>[] = [
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
    nodes: page => page.map(each => `<node id="${each.id}">${data('node', nodes, each)}</node>\n`).join(''),
    edges: page =>
      page
        .map(each => {
          const { source_id: source, connection } = each
          const ends = `source="${source}" target="${connection.target_id}"`
          const id = `${source}:${columnType(each)}:${connection.target_id}`
          return `<edge id="${id}" ${ends}>${data('edge', edges, each)}</edge>\n`
        })
        .join(''),
    tail: '</graph>\n</graphml>\n',
  }
}

const key =
  (of: 'node' | 'edge') =>
  ({ name, type }: { name: string; type: keyof typeof types }) =>
    `<key id="${of}-${name}" for="${of}" attr.name="${name}" attr.type="${types[type]}"/>`

const data = <Of>(of: 'node' | 'edge', columns: readonly Column<Of>[], each: Of) =>
  columns
    .map(({ name, of: read }) => [name, read(each)] as const)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `<data key="${of}-${name}">${text(value)}</data>`)
    .join('')

const text = (value: Value) => inXml(Array.isArray(value) ? JSON.stringify(value) : String(value))
