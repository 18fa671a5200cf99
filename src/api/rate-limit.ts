import type { Request, RequestHandler, Response } from 'express'
import { type ClientRateLimitInfo, MemoryStore, rateLimit } from 'express-rate-limit'
import type { App } from '../context.ts'
import { ServiceError } from '../contract/problems.ts'
import { timeLimit } from '../platform/time-limit.ts'
import type { Authenticator } from '../service/access/auth.ts'
import { hashKey } from '../service/access/keys.ts'
import { type Headers, keyIn } from './auth.ts'

const WINDOW_MS = 60_000
const LOOKUP_MS = 5_000

/** The bound on the requests of a minute. */
export type Rate = {
  readonly handlers: readonly RequestHandler[]
  /** Counts what comes over a websocket or in a batch as so many requests. @throws ServiceError `rate_limited` */
  count(headers: Headers, requests?: number): Promise<void>
}

/** Who is counted, and how many requests a minute are allowed; 0: any number. */
type Client = { readonly id: string; readonly limit: number }

/**
 * Counts the requests with a valid key by the tenant of the key, so that more keys allow no more requests, and all others by
 * address, so that made-up keys share one count. A key can have a limit of its own. Each process counts on its own.
 */
export function createRate(app: Pick<App, 'config'>, authenticator: Pick<Authenticator, 'identify'>): Rate {
  const { rateLimit: usual } = app.config
  const store = new MemoryStore()
  /** Made-up keys cannot make the service look up more than their address may ask. */
  const looksUp = async (address: string) => {
    if (usual === 0) return 'none'
    return ((await store.get(address))?.totalHits ?? 0) > usual ? 'valid' : 'all'
  }
  const clientOf = async (headers: Headers): Promise<Client> => {
    const key = keyIn(headers)
    const byAddress = hashKey(headers.ip ?? '')
    using limit = timeLimit(undefined, LOOKUP_MS)
    const known = key && (await authenticator.identify(key, await looksUp(byAddress), limit.signal))
    return known ? { id: known.id, limit: known.rateLimit ?? usual } : { id: byAddress, limit: usual }
  }
  const identify: RequestHandler = async (req, res, next) => {
    res.locals.client = await clientOf(req)
    next()
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
    handlers: [identify, limited],
    async count(headers, requests = 1) {
      const client = await clientOf(headers)
      if (client.limit === 0) return
      for (let left = requests; left > 0; left--) refuseBeyond(client.limit, await store.increment(client.id))
    },
  }
}

const clientIn = ({ locals }: Response) => locals.client as Client

function refuseBeyond(limit: number, { totalHits, resetTime }: ClientRateLimitInfo) {
  if (totalHits <= limit) return
  const waitMs = resetTime ? resetTime.getTime() - Date.now() : WINDOW_MS
  throw tooOften(limit, Math.max(1, Math.ceil(waitMs / 1000)))
}

const tooOften = (limit: number, retryAfterSeconds: number) =>
  new ServiceError('rate_limited', `At most ${limit} requests a minute are allowed.`, { retryAfterSeconds })
