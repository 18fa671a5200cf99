import { readClock } from '../../store/neo4j/inspection.ts'
import type { ExaminedDatabase } from './database.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warning, failure } = findingsOf('clock')

const NOTICED_MS = 2_000
const WRONG_MS = 60_000

/** The clock of the database against that of this machine, at the middle of the way there and back. */
export async function examineClock({ caller }: ExaminedDatabase): Promise<Finding[]> {
  // The first statement on a connection pays for what the second finds ready.
  await readClock(caller())
  const began = Date.now()
  const theirs = await readClock(caller())
  const ended = Date.now()
  const off = theirs - (began + ended) / 2
  const certain = Math.max(0, Math.abs(off) - (ended - began) / 2)
  if (certain <= NOTICED_MS) return [ok(`the database is within ${NOTICED_MS / 1000} s of this machine`)]
  const message = `the database is ${(Math.abs(off) / 1000).toFixed(1)} s ${off < 0 ? 'behind' : 'ahead of'} this machine`
  const remedy =
    'Keep both in step (NTP). Leases and time limits go by the database, the expiry of keys by the service.'
  return [(certain > WRONG_MS ? failure : warning)(message, remedy)]
}
