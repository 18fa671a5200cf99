import type { RequestHandler } from 'express'
import { type ClientRateLimitInfo, MemoryStore, rateLimit } from 'express-rate-limit'
import { ServiceError } from '../contract/problems.ts'
import { hashKey } from '../service/access/keys.ts'
import { authorizationOf, type Headers } from './auth.ts'

const WINDOW_MS = 60_000

/** The bound on the requests of a minute. */
export type Rate = {
  readonly handler: RequestHandler
  /** Counts what comes over a websocket or in a batch as so many requests. @throws ServiceError `rate_limited` */
  count(headers: Headers, address: string | undefined, requests?: number): Promise<void>
}

/** Counts by credential, and by address where there is none. Kept in this process. */
export function createRate(limit: number): Rate {
  const store = new MemoryStore()
  const handler = rateLimit({
    windowMs: WINDOW_MS,
    limit,
    store,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: req => counted(req, req.socket.remoteAddress),
    handler(_req, res) {
      throw tooOften(limit, Number(res.get('Retry-After') ?? WINDOW_MS / 1000))
    },
  })
  return {
    handler,
    async count(headers, address, requests = 1) {
      const caller = counted(headers, address)
      for (let left = requests; left > 0; left--) refuseBeyond(limit, await store.increment(caller))
    },
  }
}

function refuseBeyond(limit: number, { totalHits, resetTime }: ClientRateLimitInfo) {
  if (totalHits <= limit) return
  const waitMs = resetTime ? resetTime.getTime() - Date.now() : WINDOW_MS
  throw tooOften(limit, Math.max(1, Math.ceil(waitMs / 1000)))
}

/** The key itself, however the header around it is written. */
function counted(headers: Headers, address = ''): string {
  const [key] = /\S+$/.exec(authorizationOf(headers) ?? headers.get('x-api-key') ?? '') ?? []
  return hashKey(key ?? address)
}

const tooOften = (limit: number, retryAfterSeconds: number) =>
  new ServiceError('rate_limited', `At most ${limit} requests a minute are allowed.`, { retryAfterSeconds })
