import { z } from 'zod'
import { type ImportSource, leaveOut, lose, nothingFound, SourceError } from './found.ts'
import { isFields } from './json.ts'
import { readTextOf, readTime, textsOf } from './values.ts'

const page = z.looseObject({
  memories: z.array(z.unknown()),
  next_cursor: z.string().nullish(),
  has_more: z.boolean().nullish(),
})
const related = z.looseObject({ related: z.array(z.unknown()) })
const connection = z.looseObject({
  connection: z.looseObject({
    target_id: z.string(),
    relationship_type: z.string(),
    strength: z.number().min(0).max(1).nullish().catch(null),
    created_at: z.unknown(),
  }),
})

const PAGE = 100
/** The most that the specification lets one walk answer. */
const MOST_RELATED = 100

/** A service with the REST interface of the specification, page by page; the connections are read memory by memory. */
export async function readService(baseUrl: string, key: string, signal: AbortSignal): Promise<ImportSource> {
  const found = nothingFound(`memories at ${baseUrl}`)
  const began = new Date().toISOString()
  const get = reader(baseUrl, key, signal)
  await readAllMemories(get, found, began)
  for (const { key: id } of found.memories) await readConnectionsOf(get, id, found, began)
  lose(found, 'archived memories, policies, health and recalls, which are not specified', 1)
  return found
}

type Get = <T>(path: string, schema: z.ZodType<T>) => Promise<T>

function reader(baseUrl: string, key: string, signal: AbortSignal): Get {
  return async (path, schema) => {
    const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${key}` }, signal })
    if (!response.ok) throw new SourceError(`${baseUrl} answers ${response.status} to ${path.split('?')[0]}.`)
    const parsed = schema.safeParse(await response.json().catch(() => undefined))
    if (!parsed.success)
      throw new SourceError(`What ${baseUrl} answers to ${path.split('?')[0]} is not as specified.`)
    return parsed.data
  }
}

async function readAllMemories(get: Get, found: ImportSource, began: string) {
  const seen = new Set<string>()
  for (let cursor = ''; !seen.has(cursor); ) {
    seen.add(cursor)
    const query = `?limit=${PAGE}&order_by=created_at&order=asc${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
    const { memories, next_cursor, has_more } = await get(`/memories${query}`, page)
    for (const [at, memory] of memories.entries())
      addMemory(found, memory, `page ${seen.size}, memories[${at}]`, began)
    if (!next_cursor && has_more) lose(found, 'memories behind a page without a cursor')
    if (!next_cursor) return
    cursor = next_cursor
  }
  lose(found, 'memories behind a page whose cursor leads back to an earlier page')
}

function addMemory(found: ImportSource, memory: unknown, place: string, began: string) {
  const fields = isFields(memory) ? memory : {}
  const [key, content] = [readTextOf(fields.id), readTextOf(fields.content)]
  if (key === undefined || content === undefined)
    return leaveOut(found, place, `has no ${key === undefined ? '`id`' : '`content`'}`)
  found.memories.push({
    key,
    place: `memory ${key}`,
    content,
    tags: textsOf(fields.tags),
    source: readTextOf(fields.source),
    sessionId: readTextOf(fields.session_id),
    metadata: isFields(fields.metadata) ? fields.metadata : {},
    validFrom: readTime(fields.valid_from),
    validUntil: readTime(fields.valid_until),
    createdAt: readTime(fields.created_at) ?? began,
    updatedAt: readTime(fields.updated_at),
  })
}

/** A memory that was removed in the meantime has none. */
async function readConnectionsOf(get: Get, id: string, found: ImportSource, began: string) {
  const path = `/memories/${encodeURIComponent(id)}/related?depth=1&limit=${MOST_RELATED}`
  const answer = await get(path, related).catch((error: unknown) => {
    if (!(error instanceof SourceError)) throw error
    leaveOut(found, `connections of ${id}`, error.message)
    return { related: [] }
  })
  if (answer.related.length === MOST_RELATED)
    lose(found, `connections of a memory beyond the ${MOST_RELATED}th`)
  for (const [at, each] of answer.related.entries()) {
    const { data } = connection.safeParse(each)
    if (!data) leaveOut(found, `related[${at}] of ${id}`, 'has no `target_id` or `relationship_type`')
    else
      found.connections.push({
        source: id,
        target: data.connection.target_id,
        place: `related[${at}] of ${id}`,
        name: data.connection.relationship_type,
        createdAt: readTime(data.connection.created_at) ?? began,
        strength: data.connection.strength ?? null,
        reason: readTextOf(data.connection.reason),
        validFrom: readTime(data.connection.valid_from),
        validUntil: readTime(data.connection.valid_until),
      })
  }
}
