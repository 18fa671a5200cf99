import { expect, test } from 'vitest'
import { warmUp } from '../../src/service/warm-up.ts'
import { withService } from '../support/service.ts'

const service = withService()
const faults: unknown[] = []

/** The app of the service, whose log keeps the faults of steps. */
const listening = () => ({
  ...service.app,
  log: Object.assign(Object.create(service.app.log), {
    debug: (fields: { error?: string }) => void (fields.error && faults.push(fields.error)),
  }),
})

test('the warm-up runs what people try first and leaves nothing', async () => {
  await warmUp(listening(), AbortSignal.timeout(240_000))
  expect(faults).toEqual([])
  const left = await service.cypher<{ left: number }>(
    `MATCH (n) WHERE n.tenant STARTS WITH '(warm-up' OR n.id STARTS WITH '(warm-up' RETURN count(n) AS left`,
  )
  expect(left).toEqual([{ left: 0 }])
}, 300_000)

test('the warm-up ends with the service', async () => {
  await warmUp(listening(), AbortSignal.abort())
  expect(faults).toEqual([])
})
