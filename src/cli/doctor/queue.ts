import { OVERDUE_SECONDS, oldestQueuedAge } from '../../store/jobs/jobs.ts'
import { failedJobs, listPauses } from '../../store/neo4j/inspection.ts'
import type { ExaminedDatabase } from './database.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warning } = findingsOf('queue')

/** How long work waits, what has failed, and what is paused, over all tenants. */
export async function examineQueue({ caller }: ExaminedDatabase): Promise<Finding[]> {
  const age = await oldestQueuedAge(caller())
  const pauses = await listPauses(caller())
  const failed = await failedJobs(caller())
  const found = [
    ...pauses.map(({ tenant, until }) =>
      tenant === '*'
        ? warning(`paused for all tenants until ${until}`, 'mnemograph jobs resume --all-tenants')
        : warning(
            `paused for the tenant ${tenant} until ${until}`,
            `mnemograph jobs resume --tenant ${tenant}`,
          ),
    ),
    ...(age !== null && age > OVERDUE_SECONDS
      ? [
          warning(
            `the oldest job that could run has waited for ${Math.round(age / 60)} minutes`,
            pauses.length > 0
              ? 'See the pause above.'
              : 'Does a process with SERVICE_ROLE all or worker run? If one does, start more.',
          ),
        ]
      : []),
    ...failed.map(({ kind, count, reason, tenants }) =>
      warning(
        `${count} ${kind} failed (tenant ${tenants.join(', ')}), for instance: ${reason ?? 'without a reason'}`,
        `Fix the cause, then for each tenant: mnemograph jobs retry --failed --kind ${kind} --tenant ${tenants[0]}`,
      ),
    ),
  ]
  if (found.length > 0) return found
  return [ok(age === null ? 'empty, nothing failed' : `the oldest job has waited for ${Math.round(age)} s`)]
}
