import type { Caller } from '../neo4j/attempts.ts'
import { read } from '../neo4j/statements.ts'
import { type JobLane, jobLanes } from './lanes.ts'
import { areAllPaused, isPaused } from './pauses.ts'

/** A tenant in a round by name; `around` when the round has passed the last name. */
export type RoundPlace = { tenant: string; around: boolean }

/**
 * The first tenant behind a place that has queued work, by name and around, up to `last`, and whether its queue is paused:
 * going round by it is fair to every tenant. None while the queues of all are paused.
 */
export async function nextTenantWithJobs(
  caller: Caller,
  { tenant, around }: RoundPlace,
  last: string,
  { queued }: JobLane = jobLanes.usual,
): Promise<(RoundPlace & { paused: boolean }) | undefined> {
  const [next] = await read<RoundPlace & { paused: boolean }>(
    caller,
    `WITH 1 AS open WHERE NOT ${areAllPaused()}
    CALL () {
      ${around ? firstOf('$after < j.tenant <= $last', true) : `${firstOf('j.tenant > $after', false)} UNION ALL ${firstOf('j.tenant <= $last', true)}`}
    }
    WITH tenant, around ORDER BY around LIMIT 1
    RETURN tenant, around, ${isPaused('tenant')} AS paused`,
    { after: tenant, last, queued },
  )
  return next
}

const firstOf = (tenants: string, around: boolean) => `CALL () {
          MATCH (j:Job) WHERE j.state = $queued AND ${tenants} AND j.runAt IS NOT NULL
          WITH j ORDER BY j.state, j.tenant, j.runAt LIMIT 1
          RETURN j.tenant AS tenant
        }
        RETURN tenant, ${around} AS around`
