import type { Context } from '../../../context.ts'
import { relationshipTypes } from '../../../contract/connections.ts'
import { graphMediaTypes } from '../../../contract/graph.ts'
import type { Parsed } from '../../../contract/index.ts'
import type { Memory } from '../../../contract/memory.ts'
import { invalid } from '../../../contract/problems.ts'
import type { TextStream } from '../../../contract/route.ts'
import { auditAlone } from '../../../store/access/audit.ts'
import { type EdgePosition, lastConnectionAt, scanConnections } from '../../../store/graph/export.ts'
import { everyStepFrom } from '../../../store/graph/walk.ts'
import { type Position, positionOf } from '../../../store/memories/ordering.ts'
import { vectorsOf } from '../../../store/search/vectors.ts'
import { toFilter } from '../../memories/filters.ts'
import { readPage } from '../../memories/read-page.ts'
import { checkedStep } from '../../streams.ts'
import { columnType } from './columns.ts'
import { csv } from './csv.ts'
import { toCypher } from './cypher.ts'
import { gexf } from './gexf.ts'
import { graphml } from './graphml.ts'
import { ndjson } from './ndjson.ts'
import type { GraphWriter } from './writer.ts'

type Asked = Parsed<'exportGraph'>

/** Each page is read from where the last one ended; one memory can have 100,000 bytes. */
const PAGE = 200

/** The tenant's graph in a format that other programs read. Nothing is held but the page that is being sent. */
export async function exportGraph(ctx: Context, asked: Asked): Promise<TextStream> {
  checkParts(asked)
  await auditAlone(ctx, { target: asked.format })
  const { format, part } = asked
  const name = ['mnemograph', ctx.tenant, ...(part ? [part] : [])].join('-')
  return {
    mediaType: graphMediaTypes[format],
    fileName: `${name}.${format}`,
    pieces: write(ctx, asked, writerOf(ctx.tenant, asked)),
  }
}

function checkParts({ format, part, quoting, vectors, as_of }: Asked) {
  if (vectors && format !== 'ndjson')
    throw invalid('/vectors', 'unknown_field', 'is allowed for NDJSON only. Omit it')
  if (vectors && as_of !== undefined)
    throw invalid('/vectors', 'unknown_field', 'is not kept of the past. Omit it or `as_of`')
  if (format === 'csv' && !part)
    throw invalid('/part', 'required', 'is required for CSV. Use one of: nodes, edges')
  if (format === 'csv') return
  if (part) throw invalid('/part', 'unknown_field', 'is allowed for CSV only. Omit it')
  if (quoting) throw invalid('/quoting', 'unknown_field', 'is allowed for CSV only. Omit it')
}

function writerOf(tenant: string, { format, part, quoting }: Asked): GraphWriter {
  switch (format) {
    case 'graphml':
      return graphml(tenant)
    case 'gexf':
      return gexf(tenant)
    case 'ndjson':
      return ndjson
    case 'cypher':
      return toCypher(tenant)
    case 'csv':
      return csv(tenant, part ?? 'nodes', quoting === 'load_csv')
  }
}

async function* write(ctx: Context, asked: Asked, { head, nodes, between, edges, tail }: GraphWriter) {
  const last = await lastMemory(ctx)
  yield head
  if (asked.part !== 'edges')
    for await (const page of memories(ctx, asked, last)) yield nodes(await withVectors(ctx, asked, page))
  if (between) yield between
  const found = asked.as_of === undefined ? connections(ctx, asked) : connectionsAsOf(ctx, asked, last)
  if (asked.part !== 'nodes') for await (const page of found) yield edges(page)
  if (tail !== '') yield tail
}

/** The time of the latest memory as the export begins: what is made while it runs would never end. Imported ones may be of any time. */
async function lastMemory(ctx: Context): Promise<number> {
  const states = ['active', 'archived'] as const
  const walk = {
    states,
    orderBy: 'created_at',
    order: 'desc',
    filter: toFilter({}),
    after: undefined,
  } as const
  const { page } = await checkedStep(ctx, step => readPage(step, walk, 1))
  return page[0] ? positionOf(walk, page[0]).key : Number.NEGATIVE_INFINITY
}

async function* memories(ctx: Context, asked: Asked, until: number) {
  const states = asked.include_archived ? (['active', 'archived'] as const) : (['active'] as const)
  const base = { states, orderBy: 'created_at', order: 'asc', filter: toFilter(asked) } as const
  for (let after: Position | undefined, more = true; more; ) {
    const walk = { ...base, after }
    const { page: found, next } = await checkedStep(ctx, step => readPage(step, walk, PAGE))
    const page = found.filter(memory => positionOf(walk, memory).key <= until)
    if (page.length > 0) yield page
    more = next !== undefined && page.length === found.length
    after = next
  }
}

async function withVectors(
  ctx: Context,
  { vectors }: Asked,
  page: readonly Memory[],
): Promise<readonly Memory[]> {
  if (!vectors) return page
  const ids = page.map(({ id }) => id)
  const found = await checkedStep(ctx, step => vectorsOf(step, ids))
  return page.map(memory => {
    const vector = found.get(memory.id)
    return { ...memory, embedding: { ...memory.embedding, vector: vector ? Array.from(vector) : null } }
  })
}

async function* connections(ctx: Context, asked: Asked) {
  const { origin } = asked
  const ends = asked.include_archived ? 'archived' : 'active'
  const filter = toFilter(asked)
  for (const type of asked.relationship_types ?? relationshipTypes) {
    const until = await checkedStep(ctx, step => lastConnectionAt(step, type))
    for (let after: EdgePosition | undefined, more = true; more; ) {
      const walk = { type, origin, ends, filter, after } as const
      const found = await checkedStep(ctx, step => scanConnections(step, walk, PAGE))
      const page = found.filter(({ position }) => position.createdAt <= until)
      const passing = page.filter(({ passes }) => passes)
      if (passing.length > 0) yield passing
      more = page.length === PAGE
      after = page.at(-1)?.position
    }
  }
}

/** Of the memories of then, page by page, the connections that stood then, each at its start. */
async function* connectionsAsOf(ctx: Context, asked: Asked, until: number) {
  const { relationship_types: types, include_archived: includeArchived, origin } = asked
  const steps = { types, direction: 'out', minStrength: undefined, includeArchived } as const
  const filter = { ...steps, memories: toFilter(asked) }
  for await (const page of memories(ctx, asked, until)) {
    const ids = page.map(({ id }) => id)
    const found = await checkedStep(ctx, step => everyStepFrom(step, ids, filter))
    const edges = found.map(({ edge: { source_id, ...connection } }) => ({ source_id, connection }))
    const wanted = edges.filter(({ connection }) => origin === undefined || connection.origin === origin)
    yield* Map.groupBy(wanted, columnType).values()
  }
}
