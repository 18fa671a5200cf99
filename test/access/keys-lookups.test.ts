import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Authenticator } from '../../src/service/access/auth.ts'
import { OPERATOR_KEY, withService } from '../support/service.ts'
import { holdBack } from '../support/statements.ts'

/** How many keys are looked for at a time. */
const AT_ONCE = 8
const LOOKUP = 'RETURN k.tenant AS tenant'
const service = withService()

test('a key is looked for once for all that come with it, however long it takes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { key } = await service.client.createKey({})
  const { ask } = asking()
  const { held, release } = holdBack(service, LOOKUP)
  const first = [ask(key), ask(key)]
  await expect.poll(() => held.length).toBe(1)
  vi.setSystemTime(Date.now() + 60_000)
  const others = [ask(key), ask(key)]
  release()
  expect(await Promise.all([...first, ...others])).toEqual(Array(4).fill('let in'))
  expect(held).toHaveLength(1)
})

test('who goes while others wait for the same key takes nothing from them', async () => {
  const { key } = await service.client.createKey({})
  const { ask } = asking()
  const { held, release } = holdBack(service, LOOKUP)
  const gone = new AbortController()
  const [left, stays] = [ask(key, gone.signal), ask(key)]
  await expect.poll(() => held.length).toBe(1)
  gone.abort()
  expect(await left).toBe('database_unavailable')
  release()
  expect(await stays).toBe('let in')
  expect(held).toHaveLength(1)
})

test('made-up keys whose callers have gone are not looked for any more', async () => {
  const { key } = await service.client.createKey({})
  const { ask } = asking()
  const { held, release } = holdBack(service, LOOKUP)
  const waiting = Array.from({ length: AT_ONCE }, () => ask(madeUp()))
  await expect.poll(() => held.length).toBe(AT_ONCE)
  const gone = new AbortController()
  const abandoned = Array.from({ length: 50 }, () => ask(madeUp(), gone.signal))
  const valid = ask(key)
  gone.abort()
  expect(new Set(await Promise.all(abandoned))).toEqual(new Set(['database_unavailable']))
  release()
  expect(await valid).toBe('let in')
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['unauthorized']))
  expect(held).toHaveLength(AT_ONCE + 1)
})

test('a key that was valid has its turn among made-up ones, however many wait', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { key } = await service.client.createKey({})
  const { ask } = asking()
  expect(await ask(key)).toBe('let in')
  vi.setSystemTime(Date.now() + 10_000)
  const { held, release } = holdBack(service, LOOKUP)
  const order: string[] = []
  const others = Array.from({ length: AT_ONCE + 50 }, () => ask(madeUp()).then(() => order.push('made up')))
  await expect.poll(() => held.length).toBe(AT_ONCE)
  const valid = ask(key).then(() => order.push('valid'))
  release()
  await Promise.all([...others, valid])
  expect(order.indexOf('valid')).toBeLessThan(3 * AT_ONCE)
})

/** Authenticates in a process that has cached no key yet. */
function asking() {
  const authenticator = new Authenticator(service.app, OPERATOR_KEY)
  const never = new AbortController().signal
  return {
    ask: (key: string, gone = never) =>
      authenticator.authenticate({ key, tenant: undefined }, gone).then(
        () => 'let in',
        error => String(error.code),
      ),
  }
}

const madeUp = () => `mnk_${randomUUID().replaceAll('-', '')}_${'x'.repeat(43)}`
