import { z } from 'zod'
import type { Context } from '../context.ts'
import { invalidHeader, ServiceError } from '../contract/problems.ts'
import { read } from '../store/neo4j/statements.ts'
import { seal, unseal } from './cursors.ts'

/** The header that takes what one process has written to the reads of another. */
export const BOOKMARK_HEADER = 'Mnemograph-Bookmark'

const WALK = 'bookmark'
const bookmarks = z.array(z.string())

/** What a read must send to see all that this process has written; undefined where the database is one server. */
export async function bookmarkOf(ctx: Context): Promise<string | undefined> {
  const known = await ctx.app.neo4j.bookmarks?.()
  return known && seal(ctx, WALK, known)
}

/**
 * Waits until this process sees what a bookmark stands for. From then on all of its sessions see it.
 * @throws ServiceError `validation_failed` for a bookmark that no service has given out, `database_unavailable` if it takes too long
 */
export async function reachBookmark(ctx: Context, given: string): Promise<void> {
  const found = bookmarks.parse(opened(ctx, given))
  if (ctx.app.neo4j.bookmarks === undefined) return
  await read({ ...ctx, app: { ...ctx.app, neo4j: ctx.app.neo4j.behind(found) } }, 'RETURN 1 AS reached')
}

function opened(ctx: Context, given: string): unknown {
  try {
    return unseal(ctx, WALK, given)
  } catch (error) {
    if (error instanceof ServiceError)
      throw invalidHeader(BOOKMARK_HEADER, 'must be one that a response of this service had, unchanged')
    throw error
  }
}
