import type { NextFunction, Request, Response } from 'express'
import { ServiceError } from '../../contract/problems.ts'

/** What a page may do: only what this machine serves, and nothing from within the document itself. */
const strict = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}

/**
 * How a file is sent: whole, and kept by browsers as the answer says already. It is named within a `root`: a whole path
 * that leads through a hidden folder, as with npx or pnpm, would be sent to nobody.
 */
export const asFile = { acceptRanges: false, cacheControl: false }

/** Answers only GET and HEAD, under a strict policy for the browser; what a page needs beyond it is named. */
export function asPage(allowed: Readonly<Record<string, string>> = {}) {
  const policy = Object.entries({ ...strict, ...allowed })
    .map(([what, from]) => `${what} ${from}`)
    .join('; ')
  return function answerAsPage(req: Request, res: Response, next: NextFunction) {
    res.removeHeader('WWW-Authenticate')
    res.set({ 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' })
    if (req.method === 'GET' || req.method === 'HEAD') return next()
    res.set('Allow', 'GET, HEAD')
    throw new ServiceError('method_not_allowed', `${req.method} is not possible here, only GET and HEAD.`)
  }
}
