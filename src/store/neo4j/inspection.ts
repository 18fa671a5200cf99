import type { Caller } from './attempts.ts'
import { isoTime } from './projections.ts'
import { int, read, readValue } from './statements.ts'

/** What an operator asks of the database as a whole, of all tenants. No memory is read, and nothing is changed. */

export type IndexFound = {
  name: string
  type: string
  state: string
  percent: number
  /** Whether a constraint stands on it. */
  unique: boolean
  properties: string[]
  dimensions: number | null
}

/** Every index there is. */
export const listIndexes = (caller: Caller) =>
  read<IndexFound>(
    caller,
    `SHOW INDEXES YIELD name, type, state, populationPercent, owningConstraint, properties, options
    RETURN name, type, state, populationPercent AS percent, owningConstraint IS NOT NULL AS unique,
      coalesce(properties, []) AS properties, options.indexConfig.\`vector.dimensions\` AS dimensions`,
  )

/** Settings of the server by their names; those that it does not report are missing. */
export async function readSettings(caller: Caller, names: readonly string[]): Promise<Map<string, string>> {
  const rows = await read<{ name: string; value: string | null }>(
    caller,
    `SHOW SETTINGS YIELD name, value WHERE name IN $names
    RETURN name, value`,
    { names },
  )
  return new Map(rows.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])))
}

/** The longest that the heap of the server may grow, and the memory of its machine or container, in bytes. */
export async function readMemory(caller: Caller): Promise<{ heap: number; machine: number } | undefined> {
  const [row] = await read<{ heap: number | null; machine: number | null }>(
    caller,
    `CALL dbms.queryJmx('java.lang:type=Memory') YIELD attributes AS memory
    CALL dbms.queryJmx('java.lang:type=OperatingSystem') YIELD attributes AS system
    RETURN memory.HeapMemoryUsage.value.properties.max AS heap, system.TotalMemorySize.value AS machine`,
  )
  return row?.heap && row.machine ? { heap: row.heap, machine: row.machine } : undefined
}

/** How many nodes and relationships there are, from the database's own counts. */
export async function countGraph(caller: Caller): Promise<{ nodes: number; relationships: number }> {
  const [row] = await read<{ nodes: number; relationships: number }>(
    caller,
    `CALL () { MATCH (n) RETURN count(n) AS nodes }
    CALL () { MATCH ()-[r]->() RETURN count(r) AS relationships }
    RETURN nodes, relationships`,
  )
  return row as NonNullable<typeof row>
}

/** The clock of the database, in milliseconds. */
export const readClock = (caller: Caller): Promise<number> =>
  readValue(caller, "RETURN datetime.realtime('Z').epochMillis AS now")

/** Failed jobs by kind, with one of the reasons, counted up to 10,000. */
export const failedJobs = (caller: Caller) =>
  read<{ kind: string; count: number; reason: string | null; tenants: string[] }>(
    caller,
    `MATCH (j:Job) WHERE j.state = 'failed' AND j.tenant IS NOT NULL AND j.runAt IS NOT NULL
    WITH j LIMIT 10000
    RETURN j.kind AS kind, count(*) AS count, max(j.lastError) AS reason, collect(DISTINCT j.tenant)[..3] AS tenants
    ORDER BY kind`,
  )

/** The pauses that hold now: of one tenant, or of all as `*`. */
export const listPauses = (caller: Caller) =>
  read<{ tenant: string; until: string }>(
    caller,
    `MATCH (p:Setting) WHERE p.pauses IS NOT NULL AND p.until > datetime.realtime('Z')
    RETURN p.pauses AS tenant, ${isoTime('p.until')} AS until ORDER BY until DESC`,
  )

/** Keys that have expired, or will within so many days: the first 1,000, oldest first. */
export const expiringKeys = (caller: Caller, days: number) =>
  read<{ id: string; tenant: string; expiresAt: string; expired: boolean }>(
    caller,
    `MATCH (k:ApiKey) WHERE k.expiresAt < datetime.realtime('Z') + duration({days: $days})
    WITH k ORDER BY k.expiresAt LIMIT 1000
    RETURN k.id AS id, k.tenant AS tenant, ${isoTime('k.expiresAt')} AS expiresAt,
      k.expiresAt < datetime.realtime('Z') AS expired`,
    { days: int(days) },
  )
