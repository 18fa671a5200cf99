import type { Context } from '../../context.ts'
import { audit } from '../access/audit.ts'
import { int, readValue, time, transact } from '../neo4j/statements.ts'

/** Stands for all tenants; no tenant can have this name. */
const ALL = '*'

const whose = (ctx: Context, allTenants: boolean) => (allTenants ? ALL : ctx.tenant)

/**
 * Whether the queue of a tenant is paused, as an expression. It reads all settings, which are few: a look-up by the
 * unique name would take a lock in a statement that writes, and let every claim wait for every other.
 */
export const isPaused = (tenant: string) => `EXISTS { MATCH (p:Setting) WHERE ${inForce(tenant)} }`

/** Whether the queues of all tenants are paused at once, as an expression. */
export const areAllPaused = () => isPaused(`'${ALL}'`)

const inForce = (tenant: string) => `p.pauses IN ['${ALL}', ${tenant}] AND p.until > datetime.realtime('Z')`

export type PauseOutcome = 'paused' | 'too_early' | 'too_late'

/** Pauses until a time that lies ahead of the database's clock, by at most so many days. */
export function pauseJobs(
  ctx: Context,
  allTenants: boolean,
  until: number,
  maximumDays: number,
): Promise<PauseOutcome> {
  return transact(ctx, async transaction => {
    const [row] = await transaction.run<{ outcome: PauseOutcome }>(
      `WITH datetime.realtime('Z') AS now
    WITH CASE WHEN $until <= now THEN 'too_early' WHEN $until > now + duration({days: $days}) THEN 'too_late'
      ELSE 'paused' END AS outcome
    CALL (outcome) {
      WITH outcome WHERE outcome = 'paused'
      MERGE (p:Setting {name: 'pause:' + $whose}) SET p.pauses = $whose, p.until = $until
    }
    RETURN outcome`,
      { whose: whose(ctx, allTenants), until: time(until), days: int(maximumDays) },
    )
    const outcome = row?.outcome ?? 'paused'
    if (outcome === 'paused') await audit(ctx, transaction, { target: whose(ctx, allTenants) })
    return outcome
  })
}

/** Ends a pause, where there is one. */
export const resume = (ctx: Context, allTenants: boolean) =>
  transact(ctx, async transaction => {
    const target = whose(ctx, allTenants)
    await transaction.run(`MATCH (p:Setting {name: 'pause:' + $whose}) DELETE p`, { whose: target })
    await audit(ctx, transaction, { target })
  })

/** Until when the tenant's queue is paused, in milliseconds; null when it is not. */
export const pausedUntil = (ctx: Context): Promise<number | null> =>
  readValue(
    ctx,
    `MATCH (p:Setting) WHERE ${inForce('$tenant')}
    RETURN max(p.until.epochMillis) AS until`,
    { tenant: ctx.tenant },
  )
