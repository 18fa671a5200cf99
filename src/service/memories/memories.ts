import { v7 as mintId } from 'uuid'
import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import type { Memory, NewMemory } from '../../contract/memory.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import { authorOf } from '../../store/memories/change.ts'
import { getMemory as get, hasContent } from '../../store/memories/get.ts'
import type { MemoryRow } from '../../store/memories/insert.ts'
import { withMemoryLocks } from '../../store/memories/lock.ts'
import { removeMemory } from '../../store/memories/remove.ts'
import { embedForWrite } from '../embeddings/vectors.ts'
import type { Handler } from '../handler.ts'
import { fadesAt } from '../lifecycle/fading.ts'
import { checkPolicies } from '../lifecycle/policies.ts'
import { memoriesAt } from './as-of.ts'
import { findDuplicate, type Refused, type Stored, storeMemories, storeMemory } from './create.ts'
import { archived, type MemoryUpdate, restored, updated } from './rules.ts'
import { markedPlaces, withMarks } from './secrets.ts'
import { changeMemory, memoryNotFound, refusalOf } from './unit.ts'
import { discovered } from './waiting.ts'

export const createMemory: Handler<'createMemory'> = async (ctx, { visibility: _placed, ...input }) => {
  await checkPolicies(ctx, [input], () => '')
  const marked = await withMarks(ctx, [input], () => '')
  const isAsked = input.on_duplicate === 'return' && input.supersedes === undefined
  const known = isAsked ? await findDuplicate(ctx, marked[0] as NewMemory) : undefined
  if (known && known.id !== ctx.mintedIds?.[0]) return known
  const [row] = await newRows(ctx, marked)
  const [memory] = await withSuperseded(ctx, [input], () => storeMemory(ctx, row as MemoryRow))
  ctx.app.wake()
  const [done] = await discovered(ctx, [memory as Stored])
  return done as Stored
}

export const createMemories: Handler<'createMemories'> = async (ctx, { memories }) => {
  await checkPolicies(ctx, memories, index => `/memories/${index}`)
  const rows = await newRows(ctx, await withMarks(ctx, memories, index => `/memories/${index}`))
  const stored = await withSuperseded(ctx, memories, () => storeMemories(ctx, rows))
  ctx.app.wake()
  return { memories: await discovered(ctx, stored) }
}

export const getMemory: Handler<'getMemory'> = async (ctx, input) => {
  if (input.as_of !== undefined) return getMemoryAsOf(ctx, input, Date.parse(input.as_of))
  const found = await get(ctx, input.id, { embedding: input.include_embedding })
  if (!found) return notFound(input.id)
  const { recallCounts } = found
  const memory = input.record_recall && recallCounts ? await recalled(ctx, found.memory) : found.memory
  return input.include_fades_at ? { ...memory, fades_at: await fadesAt(ctx, input.id) } : memory
}

/** A look at the past is no recall. */
async function getMemoryAsOf(
  ctx: Context,
  { id, include_embedding, include_fades_at }: Parsed<'getMemory'>,
  asOf: number,
): Promise<Memory> {
  const unversioned = { include_embedding, include_fades_at }
  for (const [name, isAsked] of Object.entries(unversioned))
    if (isAsked) throw invalid(`/${name}`, 'unknown_field', 'is not kept of the past. Omit it or `as_of`')
  return (await memoriesAt(ctx, [id], asOf)).get(id) ?? notFound(id)
}

async function recalled(ctx: Context, memory: Memory): Promise<Memory> {
  const figures = (await ctx.app.recalls.record(ctx, [memory.id])).get(memory.id)
  if (!figures) return memory
  const last = figures.last === null ? null : new Date(figures.last).toISOString()
  return { ...memory, recall_count: figures.count, last_recalled_at: last }
}

export const updateMemory: Handler<'updateMemory'> = async (ctx, input) => {
  const [marked] = await withMarks(ctx, [input], () => '')
  const {
    id,
    content,
    ttl_seconds: ttlSeconds,
    clear = [],
    sensitive,
    ...given
  } = marked as Required<Pick<MemoryRow, 'sensitive'>> & typeof input
  const { policy } = given
  if (clear.length === 0 && Object.keys(input).every(name => name === 'id' || name === 'clear'))
    throw invalid('', 'empty', 'must change at least one field')
  const both = clear.find(name => given[name] !== undefined)
  if (both) throw invalid('/clear', 'custom', `must not name \`${both}\`, which the request sets`)
  if (policy !== undefined) await checkPolicies(ctx, [{ policy, ttl_seconds: ttlSeconds ?? 0 }], () => '')
  const changes = {
    content: content === undefined ? undefined : await changedContent(ctx, id, content),
    ttlSeconds,
    given: { ...given, ...Object.fromEntries(clear.map(name => [name, null])) },
    marks: { found: sensitive, places: [...markedPlaces(input), ...clear] },
  }
  const [done] = await discovered(ctx, [await applyUpdate(ctx, id, changes)])
  return done as Memory
}

/** The memory as it is then. */
export async function applyUpdate(ctx: Context, id: string, update: MemoryUpdate): Promise<Memory> {
  const memory = await changeMemory(ctx, id, {
    content: update.content?.text,
    policy: update.given.policy,
    decide: state => updated(state, update, ctx.space, authorOf(ctx)),
  })
  ctx.app.wake()
  return memory
}

/** A content with its embedding, unless the memory has this content: then it keeps the vector that it has. */
export async function changedContent(ctx: Context, id: string, text: string) {
  if (await hasContent(ctx, id, text)) return { text, embedding: null }
  const [embedding = null] = await embedForWrite(ctx, [text])
  return { text, embedding }
}

export const deleteMemory: Handler<'deleteMemory'> = async (ctx, { id, hard }) => {
  if (!hard) return archive(ctx, id)
  if (!ctx.scopes.has('delete'))
    throw new ServiceError('forbidden', 'This key does not have the scope delete, which `hard` needs.')
  return remove(ctx, id)
}

export const restoreMemory: Handler<'restoreMemory'> = async (ctx, { id }) => {
  const memory = await changeMemory(ctx, id, { decide: state => restored(state, authorOf(ctx)) })
  ctx.app.wake()
  return memory
}

export const notFound = (id: string): never => {
  throw memoryNotFound(id)
}

/** Memories with their ids and embeddings, as they are stored. */
export async function newRows(ctx: Context, memories: readonly Marked[]): Promise<MemoryRow[]> {
  const embeddings = await embedForWrite(
    ctx,
    memories.map(({ content }) => content),
  )
  return memories.map((memory, index) => ({
    ...memory,
    id: ctx.mintedIds?.[index] ?? mintId(),
    embedding: embeddings[index] ?? null,
  }))
}

type Marked = NewMemory & Pick<MemoryRow, 'sensitive'>

/** Creates memories while no other writer of this process changes those that they supersede. */
async function withSuperseded(
  ctx: Context,
  memories: readonly NewMemory[],
  create: () => Promise<{ created: Stored[] } | Refused>,
): Promise<Stored[]> {
  const superseded = memories.flatMap(({ supersedes = [] }) => supersedes)
  return storedOrRefused(await withMemoryLocks(ctx, superseded, create))
}

/** @throws ServiceError `memory_not_found` or `memory_archived` where one cannot be superseded */
export function storedOrRefused(result: { created: Stored[] } | Refused): Stored[] {
  if ('created' in result) return result.created
  const [first] = result.faults
  if (first?.fault === 'missing') return notFound(first.id)
  throw refusalOf('archived', String(first?.id))
}

async function archive(ctx: Context, id: string): Promise<Output<'deleteMemory'>> {
  const why = { archivedReason: 'deleted', author: authorOf(ctx) } as const
  const { archived_at } = await changeMemory(ctx, id, { decide: state => archived(state, why) })
  return { id, state: 'archived', hard: false, archived_at }
}

async function remove(ctx: Context, id: string): Promise<Output<'deleteMemory'>> {
  const removed = await withMemoryLocks(ctx, [id], () => removeMemory(ctx, id))
  if (!removed) return notFound(id)
  if (removed.outcome !== 'applied') throw refusalOf(removed.outcome, id)
  return { id, state: 'deleted', hard: true, archived_at: null }
}
