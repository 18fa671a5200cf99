import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { Context } from '../context.ts'
import { ServiceError } from '../contract/problems.ts'

/** Signs a value that must come back unaltered, from the same tenant and for the same `walk`. It is not encrypted. */
export function seal(ctx: Context, walk: unknown, value: unknown): string {
  const payload = Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${payload}.${signature(ctx, walk, payload)}`
}

/** @throws ServiceError `invalid_cursor` when it is altered, or was made for another tenant or walk. */
export function unseal(ctx: Context, walk: unknown, cursor: string): unknown {
  const [payload = '', given = '', ...rest] = cursor.split('.')
  const expected = Buffer.from(signature(ctx, walk, payload))
  const actual = Buffer.from(given)
  if (rest.length > 0 || actual.length !== expected.length || !timingSafeEqual(actual, expected))
    throw new ServiceError(
      'invalid_cursor',
      'The cursor is not one that was given out for this very request.',
    )
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
}

function signature(ctx: Context, walk: unknown, payload: string): string {
  const whose = ctx.owner === undefined ? ctx.tenant : [ctx.tenant, ctx.owner]
  const bound = hash('sha256', JSON.stringify([whose, walk]), 'base64url')
  return createHmac('sha256', ctx.app.cursorKey).update(`${bound}.${payload}`).digest('base64url')
}
