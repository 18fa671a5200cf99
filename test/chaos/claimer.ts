/**
 * One process of the claims run: `node claimer.ts <uri> <tenant> <claimers> <jobs a claim>`. Its claimers take jobs until there are
 * none left, and it prints what each claim gave.
 */
import { randomUUID } from 'node:crypto'
import { ServiceError } from '../../src/contract/problems.ts'
import { leaseJobs } from '../../src/store/jobs/leases.ts'
import { connectDriver } from '../../src/store/neo4j/driver.ts'

const [uri, tenant, claimers, batch] = process.argv.slice(2) as [string, string, string, string]
const password = process.env.NEO4J_PASSWORD as string
await using neo4j = connectDriver({ uri, username: 'neo4j', password, database: 'neo4j' })
const caller = () => ({ app: { neo4j }, signal: AbortSignal.timeout(60_000) })
/** Someone else may just have taken the ones that were seen: only after so many empty claims there are no more. */
const EMPTY_CLAIMS = 20

await Promise.all(
  Array.from({ length: Number(claimers) }, async () => {
    const worker = randomUUID()
    for (let empty = 0; empty < EMPTY_CLAIMS; ) {
      const jobs = await leaseJobs(caller(), tenant, worker, Number(batch)).catch(goOn)
      if (!jobs) continue
      empty = jobs.length === 0 ? empty + 1 : 0
      const attempts = jobs.filter(({ attempt }) => attempt !== 1).length
      if (jobs.length > 0)
        process.stdout.write(`${JSON.stringify({ worker, jobs: jobs.map(({ id }) => id), attempts })}\n`)
    }
  }),
)

/** As a worker does: when it had to wait too long for the others it comes again. */
function goOn(error: unknown) {
  if (!(error instanceof ServiceError)) throw error
  process.stdout.write(`${JSON.stringify({ worker: '', jobs: [], attempts: 0 })}\n`)
  return undefined
}
