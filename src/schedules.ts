import type { App } from './context.ts'
import type { Log } from './platform/log.ts'
import { backgroundContext } from './service/jobs/handlers.ts'
import { retainOrWarn } from './service/lifecycle/retention.ts'
import { numberChanges } from './store/feed/feed.ts'
import { nextToAnalyse, queueAnalysis } from './store/graph/communities.ts'
import { nextTenant, nextToRetain, nextUnnumbered, queueMaintenance } from './store/lifecycle/schedule.ts'
import { Schedule, type ScheduleParts } from './worker/schedule.ts'

const RETENTION_SECONDS = 3_600
const NUMBERING_SECONDS = 60
/** After a start the processors belong to callers: each kind of round plans statements that nobody waits for. */
const FIRST_LOOK_MS = 60_000

/** Maintenance as the settings say. What is kept for a time ends at that time in any case, and feeds nobody reads are numbered. */
export function createSchedules(app: App, log: Log): Schedule[] {
  const { maintenance, communities, role } = app.config
  const parts = { neo4j: app.neo4j, log, firstLookMs: role === 'worker' ? 0 : FIRST_LOOK_MS }
  const rounds: Omit<ScheduleParts, keyof typeof parts>[] = [
    {
      ...{ ...maintenance, name: 'maintenance', next: nextTenant, done: app.wake },
      visit: caller => queueMaintenance(caller, caller.tenant),
    },
    {
      ...{ ...communities, name: 'communities', next: nextToAnalyse, done: app.wake },
      visit: caller => queueAnalysis(caller, caller.tenant),
    },
    {
      ...{ name: 'retention', intervalSeconds: RETENTION_SECONDS, next: nextToRetain },
      visit: ({ tenant, signal }) =>
        retainOrWarn(backgroundContext(app, { id: 'retention', tenant }, signal)),
    },
    { name: 'numbering', intervalSeconds: NUMBERING_SECONDS, next: nextUnnumbered, visit: numberChanges },
  ]
  return rounds
    .filter(({ intervalSeconds }) => intervalSeconds > 0)
    .map(round => new Schedule({ ...parts, ...round }))
}
