import type { App } from './context.ts'
import type { Log } from './platform/log.ts'
import { backgroundContext } from './service/jobs/handlers.ts'
import { retainOrWarn } from './service/lifecycle/retention.ts'
import { numberChanges } from './store/feed/feed.ts'
import { nextToAnalyse, queueAnalysis } from './store/graph/communities.ts'
import { nextTenant, nextToRetain, nextUnnumbered, queueMaintenance } from './store/lifecycle/schedule.ts'
import { Schedule } from './worker/schedule.ts'

const RETENTION_SECONDS = 3_600
const NUMBERING_SECONDS = 60
/** After a start the processors belong to callers: each kind of round plans statements that nobody waits for. */
const FIRST_LOOK_MS = 60_000

/** Maintenance as the settings say. What is kept for a time ends at that time in any case, and feeds nobody reads are numbered. */
export function createSchedules(app: App, log: Log): Schedule[] {
  const { intervalSeconds } = app.config.maintenance
  const { intervalSeconds: analysisSeconds } = app.config.communities
  const firstLookMs = app.config.role === 'worker' ? 0 : FIRST_LOOK_MS
  const parts = { neo4j: app.neo4j, log, firstLookMs }
  const maintenance = new Schedule({
    ...parts,
    name: 'maintenance',
    intervalSeconds,
    next: nextTenant,
    visit: caller => queueMaintenance(caller, caller.tenant),
    done: app.wake,
  })
  const communities = new Schedule({
    ...parts,
    name: 'communities',
    intervalSeconds: analysisSeconds,
    next: nextToAnalyse,
    visit: caller => queueAnalysis(caller, caller.tenant),
    done: app.wake,
  })
  return [
    ...(intervalSeconds === 0 ? [] : [maintenance]),
    ...(analysisSeconds === 0 ? [] : [communities]),
    new Schedule({
      ...parts,
      name: 'retention',
      intervalSeconds: RETENTION_SECONDS,
      next: nextToRetain,
      visit: ({ tenant, signal }) =>
        retainOrWarn(backgroundContext(app, { id: 'retention', tenant }, signal)),
    }),
    new Schedule({
      ...parts,
      name: 'numbering',
      intervalSeconds: NUMBERING_SECONDS,
      next: nextUnnumbered,
      visit: numberChanges,
    }),
  ]
}
