import neo4j from 'neo4j-driver'
import type { TestDatabase } from './lender.ts'
import type { History } from './writers.ts'

type Row = { id: string; content: string; discovered: boolean; queued: boolean; jobs: unknown[] }

/** Compares what a tenant has in the graph with what its writers were promised: the faults, none when all is well. */
export async function audit(database: TestDatabase, tenant: string, history: History): Promise<string[]> {
  const rows = await memoriesOf(database, tenant)
  const contents = new Map(rows.map(({ id, content }) => [id, content]))
  const times = Map.groupBy(rows, ({ content }) => content)
  const copies = (content: string) => times.get(content)?.length ?? 0
  const faults: string[] = []
  for (const [id, content] of history.acknowledged)
    if (contents.get(id) !== content) faults.push(`acknowledged and lost: ${id}`)
  for (const { id, discovered, queued } of rows)
    if (!discovered && !queued) faults.push(`without its discovery: ${id}`)
  for (const content of history.keyed)
    if (copies(content) !== 1) faults.push(`${copies(content)} memories for one key: ${content}`)
  for (const batch of history.batches) {
    const there = batch.filter(content => copies(content) === 1).length
    if (there !== 0 && there !== batch.length) faults.push(`${there} of the batch: ${batch[0]}`)
  }
  for (const [content, all] of times) if (all.length > 1) faults.push(`${all.length} times: ${content}`)
  return faults
}

/** The memories of a tenant that still wait for their discovery, each with what its job says. */
export const undiscovered = async (database: TestDatabase, tenant: string) =>
  (await memoriesOf(database, tenant)).filter(({ discovered }) => !discovered)

async function memoriesOf({ uri, username, password, database }: TestDatabase, tenant: string) {
  await using driver = neo4j.driver(uri, neo4j.auth.basic(username, password))
  const { records } = await driver.executeQuery(
    `MATCH (m:Memory) WHERE m.tenant = $tenant
    RETURN m.id AS id, m.content AS content, coalesce(m.discoveredRevision = m.revision, false) AS discovered,
      EXISTS { MATCH (j:Job {tenant: $tenant, memoryId: m.id}) WHERE j.revision = m.revision } AS queued,
      COLLECT { MATCH (j:Job {tenant: $tenant, memoryId: m.id}) RETURN [j.state, toString(j.attempt), toString(j.runAt), j.lastError] } AS jobs`,
    { tenant },
    { database },
  )
  return records.map(record => record.toObject() as Row)
}
