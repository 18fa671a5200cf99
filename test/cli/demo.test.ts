import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { ENGLISH } from '../../src/platform/embeddings/builtin/description.ts'
import { runInProcess } from '../support/in-process-cli.ts'
import { withService } from '../support/service.ts'

const service = withService()

/** Runs the demo while a worker does the queued work. */
async function demo() {
  let over = false
  const said = runInProcess(['demo'], { service }).finally(() => {
    over = true
  })
  await expect
    .poll(
      async () => {
        await service.drain()
        return over
      },
      { timeout: 60_000 },
    )
    .toBe(true)
  return said
}

test('the demo loads sample memories once, with a conflict, a session and connections, and searches them', async () => {
  const { code, out } = await demo()
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('60 memories') })
  expect(out).toContain('an idempotency key now')
  const again = await demo()
  expect(again.out).toContain('60 memories')
  const { conflicts } = await service.client.listConflicts({})
  expect(conflicts).toHaveLength(1)
  const { connections } = await service.client.listConnections({})
  expect(connections.length).toBeGreaterThan(10)
}, 120_000)

test('the sample memories have the vectors of the built-in model', async () => {
  const [first] = (await readFile('samples/memories.ndjson', 'utf8')).split('\n')
  expect(JSON.parse(first as string)).toMatchObject({
    vectors: { provider: 'builtin', model: ENGLISH.space },
  })
})
