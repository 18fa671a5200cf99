import { afterAll, expect, test } from 'vitest'
import { emptyDatabase, returnDatabase } from '../support/own-database.ts'
import { remember } from '../support/seed.ts'
import { DIMENSIONS, startService } from '../support/service.ts'

afterAll(returnDatabase)

// Of the model of all tests nothing is known in an emptied database. Another one would make an index, which costs all plans.

const random = (text: string, at: number) => {
  let bits = at * 2_654_435_761
  for (const character of text) bits = Math.imul(bits ^ character.charCodeAt(0), 16_777_619)
  return ((bits >>> 0) % 10_007) / 10_007 - 0.5
}

/** Vectors of a model whose cosines are all high: a share of each is the same for all texts. */
const narrow = (common: number) => (text: string, dimensions: number) => {
  const own = Array.from({ length: dimensions - 1 }, (_, at) => random(text, at + 1))
  const length = Math.hypot(...own)
  return [Math.sqrt(common), ...own.map(value => (Math.sqrt(1 - common) * value) / length)]
}

test.each([0.6, 0.75, 0.85])(
  'a model that nobody calibrated and whose texts all have a cosine near %d connects few of them, and leaves out nothing',
  async common => {
    const database = await emptyDatabase()
    await using service = await startService({
      database,
      vector: narrow(common),
      settings: { SERVICE_AUTO_DISCOVERY_THRESHOLD: '' },
    })
    const contents = Array.from({ length: 60 }, (_, at) => `Text ${at * 7_919} about thing ${at * 104_729}`)
    await remember(service.client, contents)
    await service.drain()
    const { connections } = await service.client.listConnections({ limit: 200 })
    expect(connections.length).toBeLessThan((0.02 * (60 * 59)) / 2)
    for (const query of ['How do I parse yaml?', 'Who won the cup final?', 'When does the shop open?'])
      expect(await service.client.composeContext({ query })).toMatchObject({ weak_left_out: 0 })
  },
)

test('what was measured is kept: the next start asks for nothing', async () => {
  const database = await emptyDatabase()
  const vector = narrow(0.7)
  const settings = { SERVICE_AUTO_DISCOVERY_THRESHOLD: '' }
  const first = await startService({ database, vector, settings })
  const measured = first.app.embeddings.active()
  await first[Symbol.asyncDispose]()
  expect(measured.unrelated.mean).toBeCloseTo(0.7, 1)
  expect(measured.discoveryThreshold).toBeGreaterThan(0.75)
  await using second = await startService({ database, settings, vector: () => new Array(DIMENSIONS).fill(1) })
  expect(second.app.embeddings.active()).toMatchObject({
    unrelated: measured.unrelated,
    discoveryThreshold: measured.discoveryThreshold,
  })
})
