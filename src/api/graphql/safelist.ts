import { readFileSync } from 'node:fs'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { z } from 'zod'

/** The text of an operation that is asked by its id or word for word; undefined when it is not on the list. */
export type Safelist = (asked: { id?: unknown; query?: unknown }) => string | undefined

/** Apollo's manifest of persisted queries, or texts by their ids as Relay's compiler writes them. */
const manifest = z.union([
  z
    .object({
      format: z.literal('apollo-persisted-query-manifest'),
      operations: z.array(z.object({ id: z.string(), body: z.string() })),
    })
    .transform(({ operations }) => new Map(operations.map(({ id, body }) => [id, body]))),
  z.record(z.string(), z.string()).transform(texts => new Map(Object.entries(texts))),
])

/** @throws when the file cannot be read, or is no manifest */
export function readSafelist(file: string): Safelist {
  const texts = readManifest(file)
  const known = new Set(texts.values())
  return ({ id, query }) => {
    if (id === undefined) return typeof query === 'string' && known.has(query) ? query : undefined
    const text = typeof id === 'string' ? texts.get(id) : undefined
    return query === undefined || query === text ? text : undefined
  }
}

function readManifest(file: string): ReadonlyMap<string, string> {
  try {
    return manifest.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new Error(`SERVICE_GRAPHQL_SAFELIST: ${file} is no manifest of persisted queries`, { cause })
  }
}

/** Lets only operations of the list pass, with their texts in place; nothing else is even read. */
export const onlySafelisted = (safelist: Safelist): RequestHandler =>
  function requireSafelisted(req: Request, res: Response, next: NextFunction) {
    const asked = req.method === 'GET' ? inQuery(req) : (req.body as Asked)
    const { persistedQuery, ...extensions } = asked.extensions ?? {}
    const text = safelist({ id: persistedQuery?.sha256Hash, query: asked.query })
    if (text === undefined) return void refuse(res)
    if (req.method === 'GET') req.url = `${req.path}?${searchOf(asked, text)}`
    else req.body = { ...asked, query: text, extensions }
    next()
  }

type Asked = {
  query?: unknown
  operationName?: unknown
  variables?: unknown
  extensions?: { persistedQuery?: { sha256Hash?: unknown } }
}

function inQuery({ query: { extensions, ...rest } }: Request): Asked {
  const parsed = z.looseObject({ persistedQuery: z.object({ sha256Hash: z.string() }) })
  const given = parsed.safeParse(fromJson(extensions))
  return { ...rest, ...(given.success ? { extensions: given.data } : {}) }
}

function fromJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

const searchOf = ({ operationName, variables }: Asked, query: string) =>
  new URLSearchParams({
    query,
    ...(typeof operationName === 'string' ? { operationName } : {}),
    ...(typeof variables === 'string' ? { variables } : {}),
  })

function refuse(res: Response) {
  const { requestId } = res.locals
  const message = 'This service answers only the operations on its list.'
  res.status(403).json({ errors: [{ message, extensions: { code: 'QUERY_NOT_LISTED', requestId } }] })
}
