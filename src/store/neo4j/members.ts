import type { Caller } from './attempts.ts'
import { readAsIs } from './statements.ts'

/** What the members of a database do, as its routing table has it. A server alone does both. */
export type Members = { hasLeader: boolean; readers: number }

/** The members of the cluster that the driver knows; undefined where the database is one server. */
export async function readMembers(caller: Caller): Promise<Members | undefined> {
  const { neo4j } = caller.app
  if (neo4j.bookmarks === undefined) return undefined
  const [row] = await readAsIs<{ servers: { role: string; addresses: string[] }[] }>(
    caller,
    'CALL dbms.routing.getRoutingTable({}, $database) YIELD servers RETURN servers',
    { database: neo4j.database },
  )
  const ofRole = (name: string) => row?.servers.find(({ role }) => role === name)?.addresses.length ?? 0
  return { hasLeader: ofRole('WRITE') > 0, readers: ofRole('READ') }
}
