import { OVERDUE_SECONDS, oldestQueuedAge } from '../../store/jobs/jobs.ts'
import { expiringKeys, failedJobs, listPauses } from '../../store/neo4j/inspection.ts'
import { type Broken, findBroken, repairBroken } from '../../store/neo4j/integrity.ts'
import type { Terminal } from '../shell/terminal.ts'
import type { ExaminedDatabase } from './database.ts'
import type { Report } from './finding.ts'

/** How long work waits, what has failed, and what is paused, over all tenants. */
export async function examineQueue({ caller }: ExaminedDatabase, { warning }: Report) {
  const age = await oldestQueuedAge(caller())
  const pauses = await listPauses(caller())
  for (const { tenant, until } of pauses) {
    if (tenant === '*')
      warning(`paused for all tenants until ${until}`, 'mnemograph jobs resume --all-tenants')
    else
      warning(`paused for the tenant ${tenant} until ${until}`, `mnemograph jobs resume --tenant ${tenant}`)
  }
  if (age !== null && age > OVERDUE_SECONDS)
    warning(
      `the oldest job that could run has waited for ${Math.round(age / 60)} minutes`,
      pauses.length > 0
        ? 'See the pause above.'
        : 'Does a process with SERVICE_ROLE all or worker run? If one does, start more.',
    )
  for (const { kind, count, reason, tenants } of await failedJobs(caller()))
    warning(
      `${count} ${kind} failed (tenant ${tenants.join(', ')}), for instance: ${reason ?? 'without a reason'}`,
      `Fix the cause, then for each tenant: mnemograph jobs retry --failed --kind ${kind} --tenant ${tenants[0]}`,
    )
  return age === null ? 'empty, nothing failed' : `the oldest job has waited for ${Math.round(age)} s`
}

const SOON_DAYS = 7

/** Keys of tenants that can be used no more, or soon will be. */
export async function examineExpiry({ caller }: ExaminedDatabase, { warning }: Report) {
  const keys = await expiringKeys(caller(), SOON_DAYS)
  const byTenant = (expired: boolean) =>
    Map.groupBy(
      keys.filter(key => key.expired === expired),
      ({ tenant }) => tenant,
    )
  for (const [tenant, found] of byTenant(true))
    warning(
      `${found.length} of the tenant ${tenant} expired, the first at ${found[0]?.expiresAt}`,
      `mnemograph keys revoke ${found[0]?.id} --tenant ${tenant}; keys create makes a new one.`,
    )
  for (const [tenant, found] of byTenant(false))
    warning(
      `${found.length} of the tenant ${tenant} will expire within ${SOON_DAYS} days, the first at ${found[0]?.expiresAt}`,
      `mnemograph keys create --tenant ${tenant}`,
    )
}

/** A rule reads all memories or all connections once. */
const LONGEST_MS = 1_800_000

/** Whether everything holds that always holds in the graph. With `repair`, what can be repaired is. */
export const examineGraph =
  (repair: boolean, { signal, progress }: Terminal) =>
  async ({ neo4j }: ExaminedDatabase, { warning, failure }: Report) => {
    const caller = { app: { neo4j }, signal, transactionMs: LONGEST_MS }
    for (const broken of await findBroken(caller, name => progress(`graph: ${name}`))) {
      const { rule } = broken
      if (repair && rule.repair !== undefined) {
        await repairBroken(caller, rule)
        warning(`repaired: ${faultOf(broken)}`, `The repair ${rule.remedy}. Run it again to check.`)
      } else if (rule.repair === undefined) failure(faultOf(broken), `No repair: ${rule.remedy}.`)
      else failure(faultOf(broken), `mnemograph doctor --graph --repair ${rule.remedy}. Back up first.`)
    }
    return 'everything holds that should: connections, jobs, vectors, times and the feed'
  }

const faultOf = ({ rule: { fault }, count, examples }: Broken) =>
  `${count} ${fault}, for instance ${examples.join('; ')}`
