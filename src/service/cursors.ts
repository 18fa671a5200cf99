import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { ServiceError } from '../contract/problems.ts'
import type { Position } from '../store/lists.ts'

const position = z.object({ key: z.number(), id: z.string() })

/** Seals a position for one tenant and one set of filters and ordering (`walk`). */
export function sealCursor(ctx: Context, walk: unknown, { key, id }: Position): string {
  const payload = Buffer.from(JSON.stringify({ key, id })).toString('base64url')
  return `${payload}.${signature(ctx, walk, payload)}`
}

/** @throws ServiceError `invalid_cursor` when it is altered, or was made for another tenant or walk. */
export function openCursor(ctx: Context, walk: unknown, cursor: string): Position {
  const [payload = '', given = '', ...rest] = cursor.split('.')
  const expected = Buffer.from(signature(ctx, walk, payload))
  const actual = Buffer.from(given)
  if (rest.length > 0 || actual.length !== expected.length || !timingSafeEqual(actual, expected))
    throw new ServiceError(
      'invalid_cursor',
      'The cursor is not one that this list gave out for these filters and this ordering.',
    )
  return position.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')))
}

function signature(ctx: Context, walk: unknown, payload: string): string {
  const bound = createHash('sha256')
    .update(JSON.stringify([ctx.tenant, walk]))
    .digest('base64url')
  return createHmac('sha256', ctx.app.cursorKey).update(`${bound}.${payload}`).digest('base64url')
}
