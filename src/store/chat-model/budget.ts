import type { Context } from '../../context.ts'
import { baseTenant } from '../../contract/private.ts'
import { openTime } from '../neo4j/closed.ts'
import { lockNow } from '../neo4j/lock.ts'
import { int, read, write } from '../neo4j/statements.ts'

const TODAY = "toString(date(datetime.realtime('Z')))"

/**
 * Takes tokens out of what the tenant and its owners may use today, before they are used. Returns null when they were taken, else in how many
 * milliseconds the day ends.
 */
export async function reserveTokens(ctx: Context, tokens: number, most: number): Promise<number | null> {
  const [row] = await write<{ wait: number | null }>(
    ctx,
    `MERGE (u:ModelUse {tenant: $tenant, day: ${TODAY}})
    ON CREATE SET u.tokens = 0, u.calls = 0
    ${lockNow('u')}
    WITH u, $most IS NULL OR u.tokens + $tokens <= $most AS allowed, ${openTime('$tenant')} AS now
    FOREACH (_ IN CASE WHEN allowed THEN [1] ELSE [] END | SET u.tokens = u.tokens + $tokens, u.calls = u.calls + 1)
    RETURN CASE WHEN NOT allowed
      THEN 1.0 * duration.inSeconds(now, datetime.truncate('day', now) + duration({days: 1})).seconds * 1000 END AS wait`,
    { tenant: baseTenant(ctx.tenant), tokens: int(tokens), most: Number.isFinite(most) ? int(most) : null },
  )
  return row?.wait ?? null
}

/** Gives back tokens that were not used, or takes further ones that were. */
export const settleTokens = (ctx: Context, difference: number) =>
  write(
    ctx,
    `MATCH (u:ModelUse {tenant: $tenant, day: ${TODAY}})
    SET u.tokens = CASE WHEN u.tokens + $difference < 0 THEN 0 ELSE u.tokens + $difference END`,
    { tenant: baseTenant(ctx.tenant), difference: int(difference) },
  )

/** What the tenant has used of the model today. */
export async function readUse(ctx: Context): Promise<{ tokens: number; calls: number }> {
  const [row] = await read<{ tokens: number; calls: number }>(
    ctx,
    `MATCH (u:ModelUse {tenant: $tenant, day: ${TODAY}})
    RETURN 1.0 * u.tokens AS tokens, 1.0 * u.calls AS calls`,
    { tenant: baseTenant(ctx.tenant) },
  )
  return row ?? { tokens: 0, calls: 0 }
}
