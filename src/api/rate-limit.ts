import type { Request, RequestHandler, Response } from 'express'
import { type ClientRateLimitInfo, MemoryStore, rateLimit, type Store } from 'express-rate-limit'
import type { App } from '../context.ts'
import { ServiceError } from '../contract/problems.ts'
import type { Authenticator } from '../service/access/auth.ts'
import { hashKey } from '../service/access/keys.ts'
import { RequestCounts } from '../service/access/request-counts.ts'
import { authorizationOf, type Headers } from './auth.ts'

const WINDOW_MS = 60_000
const LOOKUP_MS = 5_000
/** The part of a limit from which on the other processes hear of a client. */
const NOTABLE = 0.1

/** The bound on the requests of a minute. */
export type Rate = {
  readonly handlers: readonly RequestHandler[]
  /** Counts what comes over a websocket or in a batch as so many requests. @throws ServiceError `rate_limited` */
  count(headers: Headers, address: string | undefined, requests?: number): Promise<void>
}

/** Who is counted, and how many requests a minute are allowed; 0: any number. */
type Client = { readonly id: string; readonly limit: number }

/**
 * Counts the requests with a valid key by that key, and all others by address, so that made-up keys share one count.
 * A key can have a limit of its own.
 */
export function createRate(
  app: Pick<App, 'config' | 'neo4j' | 'log'>,
  authenticator: Pick<Authenticator, 'identify'>,
): Rate {
  const { rateLimit: usual } = app.config
  const counts = new RequestCounts(app)
  const own = new MemoryStore()
  const store = withOthers(own, counts)
  /** Made-up keys cannot make the service look up more than their address may ask. */
  const looksUp = async (address: string) => {
    if (usual === 0) return 'none'
    return ((await store.get(address))?.totalHits ?? 0) > usual ? 'valid' : 'all'
  }
  const clientOf = async (headers: Headers, address = ''): Promise<Client> => {
    const key = keyIn(headers)
    const byAddress = hashKey(address)
    const known =
      key && (await authenticator.identify(key, await looksUp(byAddress), AbortSignal.timeout(LOOKUP_MS)))
    return known ? { id: known.id, limit: known.rateLimit ?? usual } : { id: byAddress, limit: usual }
  }
  const identify: RequestHandler = async (req, res, next) => {
    res.locals.client = await clientOf(req, req.socket.remoteAddress)
    next()
  }
  const share = async ({ id, limit }: Client) => {
    const { totalHits = 0, resetTime } = (await own.get(id)) ?? {}
    if (resetTime && totalHits >= limit * NOTABLE)
      counts.share({ client: id, hits: totalHits, until: resetTime.getTime() })
  }
  const limited = rateLimit({
    windowMs: WINDOW_MS,
    limit: (_req: Request, res: Response) => clientIn(res).limit,
    skip: (_req, res) => clientIn(res).limit === 0,
    store,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (_req, res) => clientIn(res).id,
    handler(_req, res) {
      throw tooOften(clientIn(res).limit, Number(res.get('Retry-After') ?? WINDOW_MS / 1000))
    },
  })
  return {
    handlers: [identify, limited, (_req, res, next) => share(clientIn(res)).then(() => next())],
    async count(headers, address, requests = 1) {
      const client = await clientOf(headers, address)
      if (client.limit === 0) return
      for (let left = requests; left > 0; left--) refuseBeyond(client.limit, await store.increment(client.id))
      await share(client)
    },
  }
}

const clientIn = ({ locals }: Response) => locals.client as Client

/** Counts in this process, plus what the other processes have counted. */
function withOthers(own: MemoryStore, counts: RequestCounts): Required<Pick<Store, 'get' | 'init'>> & Store {
  const total = (id: string, { totalHits, resetTime }: ClientRateLimitInfo) => ({
    totalHits: totalHits + counts.ofOthers(id),
    resetTime,
  })
  return {
    init: options => own.init(options),
    async get(id) {
      const found = await own.get(id)
      return found && total(id, found)
    },
    increment: async id => total(id, await own.increment(id)),
    decrement: id => own.decrement(id),
    resetKey: id => own.resetKey(id),
  }
}

function refuseBeyond(limit: number, { totalHits, resetTime }: ClientRateLimitInfo) {
  if (totalHits <= limit) return
  const waitMs = resetTime ? resetTime.getTime() - Date.now() : WINDOW_MS
  throw tooOften(limit, Math.max(1, Math.ceil(waitMs / 1000)))
}

/** The key itself, however the header around it is written. */
const keyIn = (headers: Headers): string | undefined =>
  /\S+$/.exec(authorizationOf(headers) ?? headers.get('x-api-key') ?? '')?.[0]

const tooOften = (limit: number, retryAfterSeconds: number) =>
  new ServiceError('rate_limited', `At most ${limit} requests a minute are allowed.`, { retryAfterSeconds })
