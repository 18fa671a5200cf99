import { hash } from 'node:crypto'
import { readFileSync, type StatsListener, unwatchFile, watchFile } from 'node:fs'
import { z } from 'zod'
import { ConfigError } from './config.ts'
import type { Log } from './log.ts'

type Asked = { id?: unknown; query?: unknown }

/** The text of an operation that is requested by its id or its exact text; undefined if it is refused. */
export type Safelist = (asked: Asked) => string | undefined

export type SafelistMode = 'enforce' | 'log'

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

const LOOK_MS = 1_000

/**
 * The list in a file, read again when the file changes: what is no manifest leaves the list as it was. In the mode `log`
 * it refuses only what has no text, and logs what it would refuse otherwise.
 */
export function openSafelist(
  { file, mode }: { file: string; mode: SafelistMode },
  log: Log,
): Safelist & Disposable {
  let list = readSafelist(file)
  const renew: StatsListener = () => {
    try {
      list = readSafelist(file)
      log.info({ file }, 'the safelist was read again')
    } catch (error) {
      log.error({ error: String(error) }, 'the safelist stays as it was')
    }
  }
  watchFile(file, { interval: LOOK_MS, persistent: false }, renew)
  const find: Safelist = asked => {
    const text = list(asked)
    if (text !== undefined || mode === 'enforce' || typeof asked.query !== 'string') return text
    log.warn(nameOf(asked.query), 'this operation is not on the safelist')
    return asked.query
  }
  return Object.assign(find, { [Symbol.dispose]: () => unwatchFile(file, renew) })
}

/** What finds an operation in the code of a client, without what a caller wrote into it. */
const nameOf = (query: string) => ({
  name: /\b(?:query|mutation|subscription)\s+(\w{1,100})/.exec(query)?.[1] ?? null,
  sha256: hash('sha256', query),
})

function readManifest(file: string): ReadonlyMap<string, string> {
  try {
    return manifest.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new ConfigError([`SERVICE_GRAPHQL_SAFELIST: ${file} is not a manifest of persisted queries`], {
      cause,
    })
  }
}
