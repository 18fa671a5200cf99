import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { ConfigError } from './config.ts'

/** The text of an operation that is requested by its id or its exact text; undefined if it is not on the list. */
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

/** @throws when the file cannot be read, or is not a manifest */
export function readSafelist(file: string): Safelist {
  const texts = readManifest(file)
  const known = new Set(texts.values())
  return ({ id, query }) => {
    if (id === undefined) return typeof query === 'string' && known.has(query) ? query : undefined
    const text = typeof id === 'string' ? texts.get(id.replace(/^sha256:/, '')) : undefined
    return query === undefined || query === text ? text : undefined
  }
}

function readManifest(file: string): ReadonlyMap<string, string> {
  try {
    return manifest.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new ConfigError([`SERVICE_GRAPHQL_SAFELIST: ${file} is not a manifest of persisted queries`], {
      cause,
    })
  }
}
