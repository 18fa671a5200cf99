import type { RequestHandler } from 'express'
import { type ClientRateLimitInfo, MemoryStore, rateLimit } from 'express-rate-limit'
import { ServiceError } from '../contract/problems.ts'
import type { Authenticator } from '../service/access/auth.ts'
import { hashKey } from '../service/access/keys.ts'
import { authorizationOf, type Headers } from './auth.ts'

const WINDOW_MS = 60_000
const LOOKUP_MS = 5_000

/** The bound on the requests of a minute. */
export type Rate = {
  readonly handler: RequestHandler
  /** Counts what comes over a websocket or in a batch as so many requests. @throws ServiceError `rate_limited` */
  count(headers: Headers, address: string | undefined, requests?: number): Promise<void>
}

/**
 * Counts the requests with a valid key by that key, and all others by address, so that made-up keys share one count.
 * The counts are kept in this process.
 */
export function createRate(limit: number, authenticator: Pick<Authenticator, 'isValid'>): Rate {
  const store = new MemoryStore()
  const isSpent = async (client: string) => ((await store.get(client))?.totalHits ?? 0) > limit
  const clientOf = async (headers: Headers, address = '') => {
    const key = keyIn(headers)
    const byAddress = hashKey(address)
    if (key === undefined) return byAddress
    const known = authenticator.isValid(
      key,
      { cachedOnly: await isSpent(byAddress) },
      AbortSignal.timeout(LOOKUP_MS),
    )
    return (await known) ? hashKey(key) : byAddress
  }
  const handler = rateLimit({
    windowMs: WINDOW_MS,
    limit,
    store,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: req => clientOf(req, req.socket.remoteAddress),
    handler(_req, res) {
      throw tooOften(limit, Number(res.get('Retry-After') ?? WINDOW_MS / 1000))
    },
  })
  return {
    handler,
    async count(headers, address, requests = 1) {
      const client = await clientOf(headers, address)
      for (let left = requests; left > 0; left--) refuseBeyond(limit, await store.increment(client))
    },
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
