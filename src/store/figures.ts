import type { StoreFigures } from '../platform/metrics.ts'
import { openStates, shownState } from './jobs/lanes.ts'
import type { Caller } from './neo4j/attempts.ts'
import { BEGINNING } from './neo4j/projections.ts'
import { int, read } from './neo4j/statements.ts'

/** So many jobs are counted in each state, those that are due first. */
const MOST_COUNTED = 10_000

/** The figures of all tenants together, for the operator: no content, and no name of a tenant. It reads a bounded part of the queue, and of each feed the first change without a number. */
export async function readFigures(caller: Caller): Promise<StoreFigures> {
  const [row] = await read<StoreFigures>(
    caller,
    `RETURN COLLECT {
      UNWIND $states AS each
      CALL (each) {
        MATCH (j:Job) WHERE j.state = each AND j.runAt IS NOT NULL
        WITH j ORDER BY j.state, j.runAt LIMIT $most
        RETURN j
      }
      WITH j.kind AS kind, ${shownState('j')} AS state, count(*) AS count, min(j.createdAt) AS first
      RETURN {kind: kind, state: state, count: count,
        oldest: duration.inSeconds(first, datetime.realtime('Z')).seconds * 1.0}
    } AS jobs,
    COUNT { MATCH (r:MaintenanceRun) WHERE r.state = 'waiting' } AS waitingPlans,
    COUNT { MATCH (f:Feed) WHERE f.memories > 0 } AS tenants,
    coalesce(COLLECT {
      MATCH (f:Feed)
      CALL (f) {
        MATCH (c:Change) WHERE c.unnumbered = f.tenant AND c.at >= ${BEGINNING}
        WITH c ORDER BY c.unnumbered, c.at LIMIT 1
        RETURN c.at AS at
      }
      RETURN duration.inSeconds(min(at), datetime.realtime('Z')).seconds * 1.0
    }[0], 0.0) AS feedLag`,
    { states: openStates, most: int(MOST_COUNTED) },
  )
  return row ?? { jobs: [], waitingPlans: 0, tenants: 0, feedLag: 0 }
}
