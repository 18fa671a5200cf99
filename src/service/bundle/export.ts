import { z } from 'zod'
import type { Context } from '../../context.ts'
import { BUNDLE_VERSION, type Line, type LineOf, lineFields, type Sums, sums } from '../../contract/bundle.ts'
import { relationshipTypes } from '../../contract/connections.ts'
import { addLine, noSums } from '../../platform/digest.ts'
import { auditAlone } from '../../store/access/audit.ts'
import { exportEarlier } from '../../store/bundle/earlier-connections.ts'
import {
  type BundledMemory,
  exportMemories,
  exportRejections,
  exportVersions,
} from '../../store/bundle/export.ts'
import { spaceOf } from '../../store/embeddings/spaces.ts'
import { bundledVector } from '../../store/embeddings/vectors.ts'
import { scanConnections } from '../../store/graph/export.ts'
import { listPolicies } from '../../store/lifecycle/policies.ts'
import { isFiltered, type MemoryFilter } from '../../store/memories/filter.ts'
import { START } from '../../store/memories/look-through.ts'
import { seal, unseal } from '../cursors.ts'
import type { Handler } from '../handler.ts'
import { toFilter } from '../memories/filters.ts'
import { checkedStep } from '../streams.ts'

const PAGE = 250
const CONNECTION_PAGE = 1_000
/** Memories whose rejected connections are read at a time. */
const REJECTION_PAGE = 10_000

const stateSchema = z.object({
  sums,
  space: z.object({ provider: z.string(), model: z.string(), dimensions: z.int() }).nullable(),
  /** Null when all memories have been read. */
  memory: z.object({ createdAt: z.number(), id: z.string() }).nullable(),
  /** The same of their earlier versions, and of the connections that were rejected. */
  version: z.object({ memoryId: z.string(), version: z.int() }).nullable(),
  connection: z.object({ type: z.int(), createdAt: z.number(), key: z.string() }),
  earlier: z.object({ sourceId: z.string(), key: z.string() }).nullable(),
  rejection: z.string().nullable(),
})

type State = z.infer<typeof stateSchema>

/** What stays the same from page to page; `name` binds the cursors to it. */
type Walk = { readonly filter: MemoryFilter; readonly name: unknown }

/** The tenant's bundle as a stream. @throws ServiceError `invalid_cursor` */
export const exportBundle: Handler<'exportBundle'> = async (ctx, { vectors, cursor, ...filters }) => {
  const walk = { filter: toFilter(filters), name: ['export', filters] }
  const state =
    cursor === undefined ? freshState(ctx, vectors) : stateSchema.parse(unseal(ctx, walk.name, cursor))
  await auditAlone(ctx)
  return {
    mediaType: 'application/x-ndjson',
    fileName: `${ctx.tenant}.bundle.ndjson`,
    pieces: pagesFrom(ctx, walk, state, cursor === undefined),
  }
}

/**
 * The tenant's bundle, page by page, each ended by a line from which the export can be resumed. Memories and connections
 * come in the order of creation: one that exists at the beginning and does not change is in it once.
 */
async function* pagesFrom(
  ctx: Context,
  walk: Walk,
  state: State,
  fromBeginning: boolean,
): AsyncGenerator<string> {
  if (fromBeginning) yield await opening(ctx, walk, state)
  for (const readLines of [memoryLines, versionLines, connectionLines, earlierLines, rejectionLines])
    for (let lines: Line[] | undefined; ; ) {
      lines = await checkedStep(ctx, step => readLines(step, walk, state))
      if (!lines) break
      const text = write(lines, state.sums)
      yield text + write([{ section: 'checkpoint', cursor: seal(ctx, walk.name, state) }], noSums())
    }
  yield write([{ section: 'manifest', sections: state.sums }], noSums())
}

/** The lines of the next page of a section; undefined when all of it was read. */
type ReadLines = (ctx: Context, walk: Walk, state: State) => Promise<Line[] | undefined>

function freshState({ space }: Context, vectors: boolean): State {
  const { provider, model, dimensions } = space
  return {
    sums: noSums(),
    space: vectors ? { provider, model, dimensions } : null,
    memory: { createdAt: 0, id: '' },
    version: { memoryId: '', version: 0 },
    connection: { type: 0, createdAt: 0, key: '' },
    earlier: { sourceId: '', key: '' },
    rejection: START,
  }
}

async function opening(ctx: Context, { filter }: Walk, { sums, space }: State): Promise<string> {
  const policies = await checkedStep(ctx, listPolicies)
  return write(
    [
      {
        section: 'bundle',
        version: BUNDLE_VERSION,
        made_at: new Date().toISOString(),
        ...(isFiltered(filter) && { filtered: true }),
        vectors: space,
      },
      ...policies.map(({ name, rules, since }) => ({
        section: 'policies' as const,
        name,
        rules,
        since: new Date(since).toISOString(),
      })),
    ],
    sums,
  )
}

const memoryLines: ReadLines = async (ctx, { filter }, state) => {
  if (!state.memory) return undefined
  const space = state.space ? spaceOf(state.space) : undefined
  const rows = await exportMemories(ctx, { from: state.memory, filter, space }, PAGE)
  const last = rows.at(-1)
  state.memory = last && rows.length === PAGE ? { createdAt: last.at, id: last.id } : null
  return rows.flatMap(linesOf)
}

function linesOf({ line, vector, truncated }: BundledMemory): Line[] {
  if (!line) return []
  const memory = inOrder('memories', line)
  if (vector === null) return [memory]
  const bytes = Buffer.from(bundledVector(line.id, Float32Array.from(vector)).buffer)
  return [memory, { section: 'vectors', id: line.id, truncated, vector: bytes.toString('base64') }]
}

/** A line has its fields in the order of the contract: Neo4j gives maps in an order of its own, and a digest wants one. */
const inOrder = <Section extends keyof typeof lineFields>(
  section: Section,
  line: Omit<LineOf<Section>, 'section'>,
) => {
  const values: Record<string, unknown> = { ...line, section }
  return Object.fromEntries(lineFields[section].map(name => [name, values[name]])) as LineOf<Section>
}

const versionLines: ReadLines = async (ctx, { filter }, state) => {
  if (!state.version) return undefined
  const rows = await exportVersions(ctx, { from: state.version, filter }, PAGE)
  const last = rows.at(-1)
  state.version = last && rows.length === PAGE ? { memoryId: last.memoryId, version: last.version } : null
  return rows.flatMap(({ line }) => (line ? [inOrder('versions', line)] : []))
}

const earlierLines: ReadLines = async (ctx, { filter }, state) => {
  if (!state.earlier) return undefined
  const rows = await exportEarlier(ctx, { from: state.earlier, filter }, CONNECTION_PAGE)
  const last = rows.at(-1)
  state.earlier = last && rows.length === CONNECTION_PAGE ? { sourceId: last.sourceId, key: last.key } : null
  return rows.flatMap(({ line }) => (line ? [inOrder('earlier_connections', line)] : []))
}

const rejectionLines: ReadLines = async (ctx, { filter }, state) => {
  if (state.rejection === null) return undefined
  const { lines, next } = await exportRejections(ctx, { after: state.rejection, filter }, REJECTION_PAGE)
  state.rejection = next
  return lines.map(({ source_id, target_id, relationship_type, suggested }) => ({
    section: 'rejections' as const,
    source_id,
    target_id,
    ...(relationship_type && { relationship_type }),
    ...(suggested && { suggested: suggestionInOrder(suggested) }),
  }))
}

const suggestionInOrder = ({
  rule,
  reason,
  created_at,
  digests,
}: NonNullable<LineOf<'rejections'>['suggested']>) => ({ rule, reason, created_at, digests })

const connectionLines: ReadLines = async (ctx, { filter }, state) => {
  const { type: at, ...after } = state.connection
  const type = relationshipTypes[at]
  if (!type) return undefined
  const rows = await scanConnections(ctx, { type, ends: 'all', filter, after }, CONNECTION_PAGE)
  const last = rows.at(-1)
  state.connection =
    last && rows.length === CONNECTION_PAGE
      ? { type: at, ...last.position }
      : { type: at + 1, createdAt: 0, key: '' }
  return rows.flatMap(({ passes, source_id, connection, recorded_at }) =>
    passes ? [inOrder('connections', { source_id, ...connection, recorded_at })] : [],
  )
}

function write(lines: readonly Line[], sums: Sums): string {
  const texts = lines.map(line => JSON.stringify(line))
  for (const [index, text] of texts.entries()) addLine(sums, lines[index]?.section ?? '', text)
  return texts.map(text => `${text}\n`).join('')
}
