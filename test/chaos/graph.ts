import neo4j, { type Driver } from 'neo4j-driver'
import type { AuditEntry } from '../../src/contract/audit.ts'
import { isoTime } from '../../src/store/neo4j/projections.ts'

export type MemoryRow = {
  id: string
  tenant: string
  content: string
  state: 'active' | 'archived'
  revision: number
  discovered: number | null
  createdAt: number
  vectors: Record<string, number[]>
}

export type EdgeRow = {
  source: string
  target: string
  type: string
  origin: string
  strength: number | null
}
export type JobRow = {
  id: string
  tenant: string
  memory: string | null
  state: string
  error: string | null
}

export type AuditRow = AuditEntry & { tenant: string }

/** What the graph holds of some tenants, read past the service. */
export async function readGraph(uri: string, password: string, tenants: readonly string[]) {
  const driver = neo4j.driver(uri, neo4j.auth.basic('neo4j', password), { disableLosslessIntegers: true })
  const rows = <T>(text: string) => query<T>(driver, text, { tenants })
  return {
    memories: await rows<MemoryRow>(
      `MATCH (m:Memory) WHERE m.tenant IN $tenants
      RETURN m.id AS id, m.tenant AS tenant, m.content AS content, m.state AS state, m.revision AS revision,
        m.discoveredRevision AS discovered, m.createdAt.epochMillis AS createdAt,
        m {.*} AS properties`,
    ).then(found => found.map(withVectors)),
    edges: await rows<EdgeRow>(
      `MATCH (a:Memory)-[r]->(b:Memory) WHERE a.tenant IN $tenants
      RETURN a.id AS source, b.id AS target, type(r) AS type, r.origin AS origin, r.strength AS strength`,
    ),
    jobs: await rows<JobRow>(
      `MATCH (j:Job) WHERE j.tenant IN $tenants AND j.state <> 'done'
      RETURN j.id AS id, j.tenant AS tenant, j.memoryId AS memory, j.state AS state, j.lastError AS error`,
    ),
    keys: await rows<{ id: string; tenant: string }>(
      'MATCH (k:ApiKey) WHERE k.tenant IN $tenants RETURN k.id AS id, k.tenant AS tenant',
    ),
    audit: await rows<AuditRow>(
      `MATCH (a:AuditEntry) WHERE a.tenant IN $tenants
      WITH a ORDER BY a.tenant, a.number
      RETURN a.tenant AS tenant, a.number AS number, a.id AS id, ${isoTime('a.at')} AS at, a.keyId AS key_id,
        a.keyName AS key_name, a.address AS address, a.operation AS operation, a.target AS target,
        a.outcome AS outcome, a.requestId AS request_id, a.previous AS previous, a.digest AS digest`,
    ),
    /** What crosses from one tenant to another. */
    crossings: await rows<{ what: string }>(
      `MATCH (a:Memory)-[r]-(b) WHERE a.tenant IN $tenants AND (a.tenant <> b.tenant OR r.tenant <> a.tenant)
      RETURN DISTINCT 'connection ' + type(r) + ' at ' + a.id AS what
      UNION MATCH (x:Job|Recall) WHERE x.tenant IN $tenants
          AND NOT EXISTS { (:Memory {tenant: x.tenant, id: x.memoryId}) }
        MATCH (m:Memory {id: x.memoryId}) WHERE m.tenant <> x.tenant
      RETURN DISTINCT 'queued work or recall ' + x.id AS what`,
    ),
    /** Whatever speaks of memories that are gone. */
    remains: (ids: readonly string[]) =>
      query<{ what: string }>(
        driver,
        `UNWIND $ids AS id
        CALL (id) {
          MATCH (n:Memory|RemovedMemory {id: id}) WHERE n.tenant IN $tenants RETURN labels(n)[0] AS what
          UNION MATCH (n:Job|Recall {memoryId: id}) WHERE n.tenant IN $tenants RETURN labels(n)[0] AS what
          UNION MATCH ()-[r]->() WHERE r.tenant IN $tenants AND r.key CONTAINS id RETURN type(r) AS what
        }
        RETURN what + ' of ' + id AS what`,
        { ids, tenants },
      ),
    [Symbol.asyncDispose]: () => driver.close(),
  }
}

export type Graph = Awaited<ReturnType<typeof readGraph>>

function withVectors({
  properties,
  ...row
}: MemoryRow & { properties?: Record<string, unknown> }): MemoryRow {
  const vectors = Object.entries(properties ?? {}).filter(([name]) => name.startsWith('embedding_'))
  return { ...row, vectors: Object.fromEntries(vectors) as Record<string, number[]> }
}

async function query<T>(driver: Driver, text: string, parameters: Record<string, unknown>): Promise<T[]> {
  const { records } = await driver.executeQuery(text, parameters)
  return records.map(record => record.toObject() as T)
}
