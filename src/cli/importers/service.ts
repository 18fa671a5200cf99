import { z } from 'zod'
import { type ImportSource, lose, nothingFound, SourceError } from './found.ts'

const memory = z.looseObject({
  id: z.string(),
  content: z.string(),
  tags: z.array(z.string()).nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  source: z.string().nullish(),
  session_id: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  valid_from: z.string().nullish(),
  valid_until: z.string().nullish(),
})
const page = z.looseObject({
  memories: z.array(memory),
  next_cursor: z.string().nullish(),
  has_more: z.boolean().nullish(),
})
const related = z.looseObject({
  related: z.array(
    z.looseObject({
      memory: z.looseObject({ id: z.string() }),
      connection: z.looseObject({
        target_id: z.string(),
        relationship_type: z.string(),
        strength: z.number().nullish(),
        created_at: z.string().nullish(),
      }),
    }),
  ),
})

const PAGE = 100
/** The most that the specification lets one walk answer. */
const MOST_RELATED = 100

/** A service with the REST interface of the specification, page by page; the connections are read memory by memory. */
export async function readService(baseUrl: string, key: string, signal: AbortSignal): Promise<ImportSource> {
  const found = nothingFound()
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
  for (let cursor = ''; ; ) {
    const query = `?limit=${PAGE}&order_by=created_at&order=asc${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
    const { memories, next_cursor, has_more } = await get(`/memories${query}`, page)
    for (const { id, content, tags, created_at, updated_at, ...more } of memories)
      found.memories.push({
        key: id,
        content,
        tags: tags ?? [],
        source: more.source,
        sessionId: more.session_id,
        metadata: more.metadata ?? {},
        validFrom: more.valid_from,
        validUntil: more.valid_until,
        createdAt: created_at ?? began,
        ...(updated_at ? { updatedAt: updated_at } : {}),
      })
    if (!next_cursor && has_more) lose(found, 'memories behind a page without a cursor')
    if (!next_cursor) return
    cursor = next_cursor
  }
}

async function readConnectionsOf(get: Get, id: string, found: ImportSource, began: string) {
  const answer = await get(
    `/memories/${encodeURIComponent(id)}/related?depth=1&limit=${MOST_RELATED}`,
    related,
  )
  if (answer.related.length === MOST_RELATED)
    lose(found, `connections of a memory beyond the ${MOST_RELATED}th`)
  for (const { connection } of answer.related)
    found.connections.push({
      source: id,
      target: connection.target_id,
      name: connection.relationship_type,
      createdAt: connection.created_at ?? began,
      strength: connection.strength ?? null,
    })
}
