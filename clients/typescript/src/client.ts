import {
  createClient as createPlainClient,
  type Client as PlainClient,
  type ClientOptions as PlainOptions,
  ProblemError,
} from '../../../src/client.ts'
import { type Input, type Output, type RouteName, routeNames, routes } from '../../../src/contract/index.ts'
import { isRead, type Route } from '../../../src/contract/route.ts'
import { eventsIn } from '../../../src/server-events.ts'

export type Memory = Output<'listMemories'>['memories'][number]
export type SearchResult = Output<'searchMemories'>['results'][number]
export type Connection = Output<'listConnections'>['connections'][number]
export type Conflict = Output<'listConflicts'>['conflicts'][number]
export type ValueInUse = Output<'listTags'>['values'][number]
export type Change = Output<'listChanges'>['changes'][number]

export type ClientOptions = Omit<PlainOptions, 'baseUrl'> & {
  /** The address of the service; the base path `/api/v1` may be left out. Default: `http://127.0.0.1:4545`. */
  readonly baseUrl?: string
  /** How often a call is repeated that the service cannot answer. Default: 3. */
  readonly retries?: number
}

/** One method for each operation, and iterators over what has many pages. */
export type Client = PlainClient & {
  /** All memories that `listMemories` finds. */
  iterateMemories(input?: Input<'listMemories'>): AsyncGenerator<Memory>
  /** All results of a search, at most 1,000. */
  iterateResults(input: Input<'searchMemories'>): AsyncGenerator<SearchResult>
  /** All connections that `listConnections` finds. What is added or removed meanwhile repeats and hides none. */
  iterateConnections(input?: Input<'listConnections'>): AsyncGenerator<Connection>
  /** All pairs of memories in conflict, also while they are resolved. */
  iterateConflicts(input?: Input<'listConflicts'>): AsyncGenerator<Conflict>
  iterateTags(input?: Input<'listTags'>): AsyncGenerator<ValueInUse>
  iterateSources(input?: Input<'listSources'>): AsyncGenerator<ValueInUse>
  iterateSessions(input?: Input<'listSessions'>): AsyncGenerator<ValueInUse>
  /**
   * Changes as they happen, from now on or after the cursor `after`. It ends with the signal only: where the connection is
   * lost, it continues after the last change. A change may come twice; it has the same cursor then.
   * @throws ProblemError when the key is no longer valid
   */
  iterateChanges(input?: Input<'followChanges'>, options?: { signal?: AbortSignal }): AsyncGenerator<Change>
}

/** No answer came from the address. A write may have happened. */
export class ServiceUnreachable extends Error {
  override readonly name = 'ServiceUnreachable'
}

const BASE_PATH = '/api/v1'
const RETRIES = 3
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000

/**
 * A client of the service. Calls that read or create are repeated when the service cannot answer; a create happens once,
 * as it has an idempotency key. Methods throw ProblemError for every answer that is not a success, and ServiceUnreachable
 * when no answer comes.
 */
export function createClient(options: ClientOptions = {}): Client {
  const baseUrl = withBasePath(options.baseUrl ?? 'http://127.0.0.1:4545')
  const plain = createPlainClient({ ...options, baseUrl })
  const methods = routeNames.map(name => [name, patient(plain, name, baseUrl, options.retries ?? RETRIES)])
  const client = Object.fromEntries(methods) as PlainClient
  return {
    ...client,
    iterateMemories: input =>
      pagesOf(input ?? {}, async each => {
        const { memories, next_cursor } = await client.listMemories(each)
        return [memories, next_cursor]
      }),
    iterateResults: input =>
      pagesOf(input, async each => {
        const { results, next_cursor } = await client.searchMemories(each)
        return [results, next_cursor]
      }),
    iterateConnections: input =>
      pagesOf(input ?? {}, async each => {
        const { connections, next_cursor } = await client.listConnections(each)
        return [connections, next_cursor]
      }),
    iterateConflicts: input =>
      pagesOf(input ?? {}, async each => {
        const { conflicts, next_cursor } = await client.listConflicts(each)
        return [conflicts, next_cursor]
      }),
    iterateTags: input => valuesOf(client.listTags, input),
    iterateSources: input => valuesOf(client.listSources, input),
    iterateSessions: input => valuesOf(client.listSessions, input),
    iterateChanges: (input = {}, { signal } = {}) => changesOf(client, input, signal),
  }
}

function withBasePath(address: string): string {
  const url = new URL(address)
  return url.pathname === '/' ? url.origin + BASE_PATH : address.replace(/\/$/, '')
}

async function* pagesOf<Request extends { cursor?: string | undefined }, Item>(
  input: Request,
  read: (input: Request) => Promise<[Item[], string | null | undefined]>,
): AsyncGenerator<Item> {
  for (let cursor = input.cursor; ; ) {
    const [items, next] = await read(cursor === undefined ? input : { ...input, cursor })
    yield* items
    if (!next) return
    cursor = next
  }
}

const valuesOf = (list: PlainClient['listTags'], input: Input<'listTags'> = {}): AsyncGenerator<ValueInUse> =>
  pagesOf(input, async each => {
    const { values, next_cursor } = await list(each)
    return [values, next_cursor]
  })

type Call = { headers?: Record<string, string>; signal?: AbortSignal; wait?: number }
type Method = (input?: object, call?: Call) => Promise<unknown>

/** A method that repeats what may be repeated. */
function patient(plain: PlainClient, name: RouteName, baseUrl: string, retries: number): Method {
  const route: Route = routes[name]
  const method = plain[name] as Method
  return async (input, call = {}) => {
    const keyed = route.creates
      ? { ...call, headers: { 'Idempotency-Key': mintKey(), ...call.headers } }
      : call
    for (let attempt = 0; ; attempt++) {
      try {
        return await method(input, keyed)
      } catch (error) {
        const pause = attempt < retries ? pauseBeforeRetry(route, attempt, error) : undefined
        if (call.signal?.aborted || pause === undefined) throw described(error, baseUrl, call.signal)
        await sleep(pause, call.signal)
      }
    }
  }
}

/** Browsers have `randomUUID` on secure pages only. */
const mintKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')

/** Milliseconds until a failed call may be repeated; undefined if it may not. A write is repeated only if that is safe. */
function pauseBeforeRetry(route: Route, attempt: number, error: unknown): number | undefined {
  const answered = error instanceof ProblemError ? error : undefined
  const isSafe = isRead(route) || route.creates === true
  const mayRepeat = answered?.status === 429 || (isSafe && (!answered || answered.status === 503))
  if (!mayRepeat || (!answered && !isLost(error))) return undefined
  const asked = Number(answered?.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(asked) ? Math.min(asked * 1_000, LONGEST_PAUSE_MS) : pauseAfter(attempt)
}

const pauseAfter = (attempt: number) =>
  Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10), LONGEST_PAUSE_MS)

/** `fetch` fails with a TypeError when no answer comes. */
const isLost = (error: unknown) => error instanceof TypeError

/** Names the address: that is what is wrong most often. */
function described(error: unknown, baseUrl: string, signal: AbortSignal | undefined): unknown {
  if (!isLost(error) || signal?.aborted) return error
  const { cause, message } = error as Error
  const reason = cause instanceof Error && cause.message ? cause.message : message
  return new ServiceUnreachable(`The service at ${baseUrl} cannot be reached: ${reason}`, { cause: error })
}

/** Rejects when the signal aborts, and leaves nothing on it otherwise. */
async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let abort = () => {}
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms)
      abort = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', abort)
    })
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

async function* changesOf(
  client: PlainClient,
  input: Input<'followChanges'>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Change> {
  const call = signal ? { signal } : {}
  let after = input.after ?? (await client.listChanges({ from: 'now' }, call)).next_cursor
  for (let attempt = 0; !signal?.aborted; attempt++) {
    try {
      for await (const { data, id } of eventsOf(client, { ...input, after }, call)) {
        attempt = 0
        after = id ?? after
        if (data !== '') yield JSON.parse(data) as Change
      }
    } catch (error) {
      if (!isPassing(error)) throw error
    }
    await sleep(pauseAfter(attempt), signal).catch(() => {})
  }
}

/** The events of one connection, until it ends or the service says that it must. */
async function* eventsOf(client: PlainClient, input: Input<'followChanges'>, call: Call) {
  const { pieces } = await client.followChanges(input, call)
  for await (const event of eventsIn(pieces)) {
    if (event.name === 'error') return
    yield event
  }
}

/** Whether another connection can succeed. */
const isPassing = (error: unknown) =>
  !(error instanceof ProblemError) || error.status === 503 || error.status === 429
