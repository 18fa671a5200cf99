import { SaxesParser } from 'saxes'
import type { Client } from '../../src/client.ts'
import type { Input } from '../../src/contract/index.ts'

/** The whole text of an export. */
export async function exportText(client: Client, input: Input<'exportGraph'>): Promise<string> {
  const { pieces } = await client.exportGraph(input)
  return (await Array.fromAsync(pieces)).join('')
}

type Element = { name: string; attributes: Record<string, string>; data: Record<string, string> }

/** The nodes and edges of a GraphML document, by the names of their keys. @throws when it is not well-formed XML */
export function readGraphml(xml: string) {
  const names = new Map<string, string>()
  const elements: Element[] = []
  let key: string | undefined
  const parser = new SaxesParser()
  parser.on('error', error => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'key') names.set(attributes.id as string, attributes['attr.name'] as string)
    if (name === 'node' || name === 'edge') elements.push({ name, attributes, data: {} })
    key = name === 'data' ? names.get(attributes.key as string) : undefined
  })
  parser.on('text', text => {
    const data = elements.at(-1)?.data ?? {}
    if (key !== undefined) data[key] = (data[key] ?? '') + text
  })
  parser.on('closetag', () => {
    key = undefined
  })
  parser.write(xml).close()
  const all = (kind: string) => elements.filter(({ name }) => name === kind)
  return { nodes: all('node'), edges: all('edge') }
}

/** The same of a GEXF document, its values by the names of their attributes. @throws when it is not well-formed XML */
export function readGexf(xml: string) {
  const elements: Element[] = []
  const parser = new SaxesParser()
  parser.on('error', error => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'node' || name === 'edge') elements.push({ name, attributes, data: {} })
    const { data = {} } = elements.at(-1) ?? {}
    if (name === 'attvalue') data[attributes.for as string] = attributes.value as string
  })
  parser.write(xml).close()
  const all = (kind: string) => elements.filter(({ name }) => name === kind)
  return { nodes: all('node'), edges: all('edge') }
}

type Row = Record<string, string | null>

/**
 * A table as Neo4j's reader of CSV takes it: quotes are doubled, and with `legacy`, as LOAD CSV has it by default, a
 * backslash also stands before a quote or a backslash. What is empty and not quoted is null.
 */
export function readCsv(text: string, { legacy }: { legacy: boolean }): Row[] {
  const rows: (string | null)[][] = [[]]
  for (let at = 0; at < text.length; ) {
    const [cell, end] = text[at] === '"' ? quoted(text, at + 1, legacy) : plain(text, at)
    rows.at(-1)?.push(cell)
    if (text[end] === '\n' && end + 1 < text.length) rows.push([])
    at = end + 1
  }
  const [head = [], ...body] = rows
  return body.map(cells => Object.fromEntries(head.map((name, column) => [name, cells[column] ?? null])))
}

function plain(text: string, start: number): [string | null, number] {
  const end = start + /^[^,\n]*/.exec(text.slice(start, start + 1000))![0].length
  return [text.slice(start, end) || null, end]
}

function quoted(text: string, start: number, legacy: boolean): [string, number] {
  let cell = ''
  for (let at = start; at < text.length; at++) {
    const pair = text.slice(at, at + 2)
    if (pair === '""' || (legacy && (pair === '\\"' || pair === '\\\\'))) cell += text[++at]
    else if (text[at] === '"') return [cell, at + 1]
    else cell += text[at]
  }
  throw new Error('A quote is not closed')
}
