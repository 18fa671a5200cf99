import type { StoreFigures } from '../platform/metrics.ts'
import { shownState } from './jobs/lanes.ts'
import type { Caller } from './neo4j/attempts.ts'
import { read } from './neo4j/statements.ts'

/** The figures of all tenants together, for the operator: no content, and no name of a tenant. */
export async function readFigures(caller: Caller): Promise<StoreFigures> {
  const [row] = await read<StoreFigures>(
    caller,
    `CYPHER 25
    RETURN COLLECT {
      MATCH (j:Job) WHERE j.state IN ['queued', 'queued_for_model', 'waiting', 'running', 'failed']
      WITH j.kind AS kind, ${shownState('j')} AS state, count(*) AS count, min(j.createdAt) AS first
      RETURN {kind: kind, state: state, count: count,
        oldest: duration.inSeconds(first, datetime.realtime('Z')).seconds * 1.0}
    } AS jobs,
    COUNT { MATCH (r:MaintenanceRun) WHERE r.state = 'waiting' } AS waitingPlans,
    COUNT { MATCH (f:Feed) WHERE f.memories > 0 } AS tenants,
    coalesce(COLLECT {
      MATCH (c:Change) WHERE c.unnumbered IS NOT NULL AND c.at IS NOT NULL
      RETURN duration.inSeconds(min(c.at), datetime.realtime('Z')).seconds * 1.0
    }[0], 0.0) AS feedLag`,
  )
  return row ?? { jobs: [], waitingPlans: 0, tenants: 0, feedLag: 0 }
}
