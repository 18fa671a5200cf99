import type { Request } from 'express'

/** Whether If-None-Match names a tag. */
export function isKnown(req: Request, etag: string): boolean {
  const known = (req.get('if-none-match') ?? '').split(',').map(tag => tag.trim().replace(/^W\//, ''))
  return known.includes(etag) || known.includes('*')
}
