import { type Caller, read } from './statements.ts'

/** The addresses of a database's members, as its routing table has them. A server alone is both. */
export type Members = { leader: string | null; readers: string[] }

/** The members of the cluster that the driver knows; undefined where the database is one server. */
export async function readMembers(caller: Caller): Promise<Members | undefined> {
  const { neo4j } = caller.app
  if (neo4j.bookmarks === undefined) return undefined
  const [row] = await read<{ servers: { role: string; addresses: string[] }[] }>(
    caller,
    'CALL dbms.routing.getRoutingTable({}, $database) YIELD servers RETURN servers',
    { database: neo4j.database },
  )
  const ofRole = (name: string) => row?.servers.find(({ role }) => role === name)?.addresses ?? []
  return { leader: ofRole('WRITE')[0] ?? null, readers: ofRole('READ') }
}
