import { expect, test } from 'vitest'
import { deleteJobs, makeJobsDue } from '../support/queue.ts'
import { remember } from '../support/seed.ts'
import { startService, withServicePerTest } from '../support/service.ts'

const service = withServicePerTest()

/** More than one request to the provider holds. */
const COUNT = 200
const contents = Array.from({ length: COUNT }, (_, at) => `note ${at}`)

/** Memories without a vector, whose filling is queued. Requests to the provider are counted from here on. */
async function queued() {
  await remember(service.client, contents)
  await deleteJobs(service)
  await service.cypher(
    `MATCH (m:Memory {tenant: $tenant})
     UNWIND [key IN keys(m) WHERE key STARTS WITH 'embedding'] AS key REMOVE m[key]`,
    { tenant: service.tenant },
  )
  await service.queueFills()
  service.embeddings.requests.length = 0
}

const asked = () => service.embeddings.requests.flatMap(({ texts }) => texts).toSorted()

/** The contents that have a vector, or have none. */
const those = async (status: 'ready' | 'pending') =>
  (await service.client.listMemories({ limit: COUNT })).memories
    .filter(({ embedding }) => embedding.status === status)
    .map(({ content }) => content)
    .toSorted()

/** Does the filling once more, and answers for which texts the provider was asked. */
async function askedAgain(by = service) {
  service.embeddings.recover()
  service.embeddings.requests.length = 0
  await makeJobsDue(service)
  await by.worker.revive()
  await by.drain(service.tenant)
  return asked()
}

const filled = async () => {
  expect(await those('ready')).toHaveLength(COUNT)
  expect((await service.client.listJobs()).jobs).toEqual([])
}

test('a filling whose provider goes down keeps the vectors that came, and asks for the others alone', async () => {
  await queued()
  service.embeddings.refuse(text => text === contents.at(-1), { status: 503 })
  await service.drain()
  const missing = await those('pending')
  expect(missing).toContain(contents.at(-1))
  expect(missing.length).toBeLessThan(COUNT)
  expect((await service.client.listJobs()).jobs).toMatchObject([
    { kind: 'fill', state: 'waiting', attempt: 0, last_error: expect.stringContaining('503') },
  ])
  expect(await askedAgain()).toEqual(missing)
  await filled()
})

test('a text at which the provider fails is passed over, and costs no other its vector', async () => {
  await queued()
  service.embeddings.refuse(text => text === contents[7], { status: 500 })
  await service.drain()
  expect(await those('pending')).toEqual([contents[7]])
  expect((await service.client.listJobs()).jobs).toEqual([])
  await service.queueFills()
  expect(await askedAgain()).toEqual([contents[7]])
  await filled()
})

test('a filling that is ended while it waits for vectors keeps those that have come', async () => {
  await queued()
  service.embeddings.refuse(text => text === contents.at(-1), 'silent')
  const ended = service.worker.runBatchOf(service.tenant)
  await expect.poll(async () => (await those('ready')).length).toBeGreaterThan(0)
  await service.worker.stop()
  await ended
  const missing = await those('pending')
  await using another = await startService({ settings: { OPENAI_BASE_URL: service.embeddings.url } })
  expect(await askedAgain(another)).toEqual(missing)
  await filled()
})
