import { space } from '../graph.ts'

type Waiting<Row> = { row: Row; resolve: () => void; reject: (error: unknown) => void }

/** Group commit: writes that arrive during a commit go into the next one, at most `most` of them. */
export function inGroups<Row>(most: number, commit: (rows: Row[]) => Promise<unknown>) {
  const waiting: Waiting<Row>[] = []
  let inProgress = false

  async function flush() {
    const group = waiting.splice(0, most)
    inProgress = true
    try {
      await commit(group.map(({ row }) => row))
      for (const { resolve } of group) resolve()
    } catch (error) {
      for (const { reject } of group) reject(error)
    } finally {
      inProgress = false
      if (waiting.length > 0) void flush()
    }
  }

  return (row: Row): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.push({ row, resolve, reject })
    if (!inProgress) void flush()
    return promise
  }
}

/** New memories with their queued discovery and their changes in the feed, as the service stores them. */
export const createRows = `CYPHER 25
  UNWIND $rows AS row
  WITH row, datetime.truncate('millisecond', datetime.realtime('Z')) AS now
  CREATE (m:Memory) SET m = row.properties, m.createdAt = now, m.updatedAt = now
  CREATE (j:Job {id: 'discover:' + m.tenant + ':' + m.id + ':1', kind: 'discover', tenant: m.tenant, memoryId: m.id, revision: 1, attempt: 0,
    state: 'queued', createdAt: now, runAt: now})
  CREATE (:Change {tenant: m.tenant, unnumbered: m.tenant, at: datetime.realtime('Z'), kind: 'created', memoryId: m.id, version: 1})
  WITH m, row
  CALL db.create.setNodeVectorProperty(m, '${space.property}', row.vector)`
