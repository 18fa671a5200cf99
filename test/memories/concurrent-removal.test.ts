import { expect, test } from 'vitest'
import { problemOf, someMemory, withService } from '../support/service.ts'

const service = withService()

const ifMatch = { headers: { 'if-match': '"7"' } }

const requests: [string, (id: string) => Promise<unknown>][] = [
  ['a change', id => service.client.updateMemory({ id, content: 'Rewritten', ttl_seconds: 60 })],
  ['a change with If-Match', id => service.client.updateMemory({ id, importance: 1 }, ifMatch)],
  ['a delete', id => service.client.deleteMemory({ id })],
  ['a hard delete', id => service.client.deleteMemory({ id, hard: true })],
  ['a hard delete with If-Match', id => service.client.deleteMemory({ id, hard: true }, ifMatch)],
  ['a restore', id => service.client.restoreMemory({ id })],
]

const byMaintenance = "REMOVE m:Memory, m.lock SET m:RemovedMemory, m.removedBy = 'a run'"
const removals = [
  ...requests.map(([name, request]) => ({ name, how: 'for good', change: 'DETACH DELETE m', request })),
  ...requests
    .filter(([name]) => !name.includes('hard'))
    .map(([name, request]) => ({ name, how: 'by maintenance', change: byMaintenance, request })),
]

test.each(removals)(
  '$name that waits for a memory while it is removed $how finds none, and leaves nothing behind',
  async ({ change, request }) => {
    const { id } = await service.client.createMemory(someMemory())
    const before = await tracesOf(id)
    const problem = await whileChanging(id, change, () => problemOf(request(id)))
    expect(problem).toMatchObject({ status: 404, code: 'memory_not_found' })
    expect(await tracesOf(id)).toEqual(before)
  },
)

test.each([
  ['for good', 'DETACH DELETE m'],
  ['by maintenance', byMaintenance],
])(
  'a memory that is removed %s while its recall waits is answered as it was read, and leaves nothing behind',
  async (_, change) => {
    const { id, content } = await service.client.createMemory(someMemory())
    const before = await tracesOf(id)
    expect(await whileChanging(id, change, () => service.client.getMemory({ id }))).toMatchObject({
      id,
      content,
    })
    expect(await tracesOf(id)).toEqual(before)
  },
)

test('a fetch that waits while another is counted is the same recall', async () => {
  const { id } = await service.client.createMemory(someMemory())
  const counted =
    "SET m.recallCount = 1, m.recallBurstEnds = datetime.realtime('Z').epochMillis + 30000 REMOVE m.lock"
  const fetched = await whileChanging(id, counted, () => service.client.getMemory({ id }))
  expect(fetched).toMatchObject({ id, recall_count: 1 })
  expect(await tracesOf(id)).toMatchObject({ recalls: 0 })
})

/** Sends a request while somebody else has the lock of a memory, who changes it once the request waits for it. */
async function whileChanging<Answer>(id: string, change: string, request: () => Promise<Answer>) {
  const { driver, database } = service.app.neo4j
  const session = driver.session({ database })
  try {
    const other = await session.beginTransaction()
    await other.run('MATCH (m:Memory {id: $id}) SET m.lock = true', { id })
    const answer = request()
    await expect.poll(() => waitingFor(id), { interval: 10 }).toBe(1)
    await other.run(`MATCH (m:Memory {id: $id}) ${change}`, { id })
    await other.commit()
    return await answer
  } finally {
    await session.close()
  }
}

async function waitingFor(id: string): Promise<number> {
  const waiting = await service.cypher(
    `SHOW TRANSACTIONS YIELD status, parameters
    WHERE status STARTS WITH 'Blocked'
      AND (parameters.id = $id OR any(row IN parameters.rows WHERE row.id = $id)) RETURN status`,
    { id },
  )
  return waiting.length
}

/** How much the graph holds about a memory besides the memory itself. */
async function tracesOf(id: string) {
  const [traces] = await service.cypher(
    `RETURN COUNT { (:Recall {memoryId: $id}) } AS recalls,
      COUNT { (:Change {memoryId: $id}) } AS changes,
      COUNT { (:Job {memoryId: $id}) } AS jobs`,
    { id },
  )
  return traces
}
