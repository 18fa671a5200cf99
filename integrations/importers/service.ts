import {
  type ImportSource,
  leaveOut,
  lose,
  nothingFound,
  type SourceAccess,
  SourceError,
} from '../reading/found.ts'
import { type JsonFields, objectOf } from '../reading/json.ts'
import { readTextOf, readTime, textsOf } from '../reading/values.ts'

const PAGE = 100
/** The most that the specification lets one walk answer. */
const MOST_RELATED = 100

/** A service with the REST interface of the specification, page by page; the connections are read memory by memory. */
export async function readService(baseUrl: string, { secret, signal }: SourceAccess): Promise<ImportSource> {
  const found = nothingFound(`memories at ${baseUrl}`)
  const began = new Date().toISOString()
  const get = reader(baseUrl, secret, signal)
  await readAllMemories(get, found, began)
  for (const { key: id } of found.memories) await readConnectionsOf(get, id, found, began)
  lose(found, 'archived memories, policies, health and recalls, which are not specified', 1)
  return found
}

/** Asks for a path, and returns the answer with the list that it must have. */
type Get = (path: string, list: string) => Promise<{ answer: JsonFields; items: unknown[] }>

function reader(baseUrl: string, key: string, signal: AbortSignal): Get {
  return async (path, list) => {
    const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${key}` }, signal })
    if (!response.ok) throw new SourceError(`${baseUrl} answers ${response.status} to ${path.split('?')[0]}.`)
    const answer = objectOf(await response.json().catch(() => undefined))
    const items = answer[list]
    if (!Array.isArray(items))
      throw new SourceError(`What ${baseUrl} answers to ${path.split('?')[0]} is not as specified.`)
    return { answer, items }
  }
}

async function readAllMemories(get: Get, found: ImportSource, began: string) {
  const seen = new Set<string>()
  for (let cursor = ''; !seen.has(cursor); ) {
    seen.add(cursor)
    const query = `?limit=${PAGE}&order_by=created_at&order=asc${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
    const { answer, items } = await get(`/memories${query}`, 'memories')
    for (const [at, memory] of items.entries())
      addMemory(found, objectOf(memory), `page ${seen.size}, memories[${at}]`, began)
    const next = readTextOf(answer.next_cursor)
    if (!next && answer.has_more === true) lose(found, 'memories behind a page without a cursor')
    if (!next) return
    cursor = next
  }
  lose(found, 'memories behind a page whose cursor leads back to an earlier page')
}

function addMemory(found: ImportSource, fields: JsonFields, place: string, began: string) {
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
    metadata: objectOf(fields.metadata),
    validFrom: readTime(fields.valid_from),
    validUntil: readTime(fields.valid_until),
    createdAt: readTime(fields.created_at) ?? began,
    updatedAt: readTime(fields.updated_at),
  })
}

/** A memory that was removed in the meantime has none. */
async function readConnectionsOf(get: Get, id: string, found: ImportSource, began: string) {
  const path = `/memories/${encodeURIComponent(id)}/related?depth=1&limit=${MOST_RELATED}`
  const { items } = await get(path, 'related').catch((error: unknown) => {
    if (!(error instanceof SourceError)) throw error
    leaveOut(found, `connections of ${id}`, error.message)
    return { items: [] }
  })
  if (items.length === MOST_RELATED) lose(found, `connections of a memory beyond the ${MOST_RELATED}th`)
  for (const [at, each] of items.entries()) {
    const { target_id, relationship_type, strength, ...fields } = objectOf(objectOf(each).connection)
    const place = `related[${at}] of ${id}`
    if (typeof target_id !== 'string' || typeof relationship_type !== 'string')
      leaveOut(found, place, 'has no `target_id` or `relationship_type`')
    else
      found.connections.push({
        source: id,
        target: target_id,
        place,
        name: relationship_type,
        createdAt: readTime(fields.created_at) ?? began,
        strength: typeof strength === 'number' && strength >= 0 && strength <= 1 ? strength : null,
        reason: readTextOf(fields.reason),
        validFrom: readTime(fields.valid_from),
        validUntil: readTime(fields.valid_until),
      })
  }
}
