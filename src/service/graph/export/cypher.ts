import type { Connection } from '../../../contract/connections.ts'
import { type Column, columnType, connectionColumns, nodeColumns, type Value } from './columns.ts'
import type { GraphWriter } from './writer.ts'

/** Rows of one statement: a memory can have 100,000 bytes. */
const ROWS = 50

/** A script that makes the graph in a Neo4j, also where some of it is there already. */
export function toCypher(tenant: string): GraphWriter {
  const nodes = nodeColumns(tenant)
  const edges: Column<Connection>[] = [
    { name: 'source__', type: 'string', of: r => r.source_id },
    { name: 'target__', type: 'string', of: r => r.connection.target_id },
    ...connectionColumns(tenant),
  ]
  return {
    head: 'CREATE CONSTRAINT memory_id IF NOT EXISTS FOR (m:Memory) REQUIRE (m.tenant, m.id) IS UNIQUE;\n',
    nodes: page => statements(page, nodes, 'MERGE (m:Memory {tenant: row.tenant, id: row.id}) SET m += row'),
    edges: ([first, ...rest]) =>
      first
        ? statements(
            [first, ...rest],
            edges,
            `MATCH (a:Memory {tenant: row.tenant, id: row.source__}), (b:Memory {tenant: row.tenant, id: row.target__}) MERGE (a)-[r:${columnType(first)}]->(b) SET r += row {${connectionColumns(
              tenant,
            )
              .map(({ name }) => `.${name}`)
              .join(', ')}}`,
          )
        : '',
    tail: '',
  }
}

function statements<Of>(page: readonly Of[], columns: readonly Column<Of>[], what: string): string {
  const parts = Array.from({ length: Math.ceil(page.length / ROWS) }, (_, at) =>
    page.slice(ROWS * at, ROWS * (at + 1)),
  )
  const row = (each: Of) =>
    columns.flatMap(column => {
      const value = column.of(each)
      return value === null ? [] : [`${column.name}: ${literal(column.type, value)}`]
    })
  return parts
    .map(
      part =>
        `UNWIND [\n${part.map(each => `  {${row(each).join(', ')}}`).join(',\n')}\n] AS row\n${what};\n`,
    )
    .join('')
}

function literal(type: Column<never>['type'], value: NonNullable<Value>): string {
  if (typeof value === 'number')
    return type === 'float' && Number.isInteger(value) ? `${value}.0` : String(value)
  if (typeof value === 'string') return type === 'time' ? `datetime('${value}')` : text(value)
  return `[${value.map(text).join(', ')}]`
}

/** Cypher reads codes before it knows what is a text: a quote must not be one, a semicolon may end nothing. */
const text = (plain: string) => `'${plain.replaceAll(/['\\]/g, '\\$&').replaceAll(special, code)}'`
const special = /[;\p{Cc}\u2028\u2029]/gu
const code = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
