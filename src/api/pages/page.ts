import { fileURLToPath } from 'node:url'
import type { NextFunction, Request, Response } from 'express'
import { ServiceError } from '../../contract/problems.ts'
import { packageFolder } from '../../platform/package-folder.ts'

/** `scripts/pages.mjs` builds the pages into this folder. */
export const builtPages = fileURLToPath(new URL('dist/pages', packageFolder))

/** A page may load only what this service serves. Scripts and styles in the document itself are not allowed. */
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
 * Files are sent whole, with the cache headers that the response has already. Each is named relative to a `root`:
 * Express does not send a file whose absolute path has a hidden folder in it, as with npx or pnpm.
 */
export const asFile = { acceptRanges: false, cacheControl: false }

/** A page whose links lead below the path prefix of the service. */
export const below = (prefix: string, html: string) => html.replaceAll(/(?<= (?:href|src)=")(?=\/)/g, prefix)

/** Allows only GET and HEAD, and sets a strict content policy; `allowed` adds what a page needs beyond it. */
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
