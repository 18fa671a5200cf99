import { expect, onTestFinished, test, vi } from 'vitest'
import { asDocument, asQuery, start } from '../support/embedder.ts'

test('a provider that stays down is left alone: callers hear at once, and one of them finds it well again', async () => {
  const { endpoint, embedder } = await start()
  const clock = stopClock()
  endpoint.fail({ status: 503 })
  for (let at = 0; at < 3; at++) await expect(embedder.embed(['text'], asDocument)).rejects.toThrow('503')
  const rejected = embedder.embed(['text'], asDocument)
  await expect(rejected).rejects.toMatchObject({
    permanent: false,
    itemFault: false,
    retryAfterMs: expect.any(Number),
  })
  expect(endpoint.requests).toHaveLength(3)

  endpoint.recover()
  clock.pass(1_000)
  await embedder.embed(['text'], asDocument)
  expect(embedder.health()).toEqual({ status: 'up', detail: null })
})

test('while one caller finds out, the others are not kept waiting', async () => {
  const { endpoint, embedder } = await start()
  const clock = stopClock()
  endpoint.fail([{ status: 503 }, { status: 503 }, { status: 503 }])
  for (let at = 0; at < 3; at++) await expect(embedder.embed(['text'], asDocument)).rejects.toThrow('503')
  clock.pass(1_000)
  const release = endpoint.hold()
  const probe = embedder.embed(['probe'], asDocument)
  await endpoint.arrived(4)
  await expect(embedder.embed(['text'], asDocument)).rejects.toThrow('503')
  release()
  await probe
})

test('each time that the provider is still down, it is left alone for longer', async () => {
  const { endpoint, embedder } = await start()
  const clock = stopClock()
  endpoint.fail({ status: 503 })
  for (let at = 0; at < 3; at++) await expect(embedder.embed(['text'], asDocument)).rejects.toThrow('503')
  for (const wait of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    const asked = endpoint.requests.length
    clock.pass(wait * 0.499)
    await expect(embedder.embed(['text'], asDocument)).rejects.toThrow('503')
    expect(endpoint.requests).toHaveLength(asked)
    clock.pass(wait * 0.502)
    await expect(embedder.embed(['text'], asDocument)).rejects.toThrow('503')
    expect(endpoint.requests).toHaveLength(asked + 1)
  }
})

test('when the provider says how long to wait, every caller learns it and no request is sent earlier', async () => {
  const { endpoint, embedder } = await start()
  const clock = stopClock()
  endpoint.fail([{ status: 429, retryAfter: '7' }])
  await expect(embedder.embed(['text'], asDocument)).rejects.toMatchObject({ retryAfterMs: 7_000 })
  clock.pass(6_000)
  await expect(embedder.embed(['text'], asQuery)).rejects.toMatchObject({ retryAfterMs: 1_000 })
  expect(endpoint.requests).toHaveLength(1)
  clock.pass(1_000)
  await embedder.embed(['text'], asDocument)
})

test.each([401, 402, 403, 404])(
  'a wrong credential or model is no passing fault, and is asked about seldom: %i',
  async status => {
    const { endpoint, embedder } = await start()
    const clock = stopClock()
    endpoint.fail({ status })
    await expect(embedder.embed(['text'], asDocument)).rejects.toMatchObject({
      permanent: true,
      itemFault: false,
    })
    clock.pass(29_000)
    await expect(embedder.embed(['text'], asDocument)).rejects.toMatchObject({
      permanent: true,
      itemFault: false,
    })
    expect(endpoint.requests).toHaveLength(1)
    endpoint.recover()
    clock.pass(1_000)
    await embedder.embed(['text'], asDocument)
  },
)

test('a provider that wants a payment says so', async () => {
  const { endpoint, embedder } = await start()
  endpoint.fail({ status: 402 })
  const failed = embedder.embed(['text'], asDocument)
  await expect(failed).rejects.toThrow('wants a payment: check the balance and the plan of its account (402)')
})

test('a provider that never answers is given up, left alone, and then given less at a time', async () => {
  // What does answer has this time too, on a busy machine.
  const { endpoint, embedder } = await start({ timeoutMs: 2_000 })
  const clock = stopClock()
  endpoint.fail(['silent'])
  const texts = Array.from({ length: 8 }, (_, at) => `text ${at}`)
  await expect(embedder.embed(texts, asDocument)).rejects.toThrow('in time')
  await expect(embedder.embed(texts, asDocument)).rejects.toThrow('in time')
  expect(endpoint.requests).toHaveLength(1)
  clock.pass(1_000)
  await embedder.embed(texts.slice(0, 1), asDocument)
  await embedder.embed(texts, asDocument)
  expect(endpoint.requests.map(request => request.texts.length)).toEqual([8, 1, 5, 3])
})

test('a provider that is back is found well by texts of which it crashes at many', async () => {
  const { endpoint, embedder } = await start()
  const clock = stopClock()
  endpoint.fail([{ status: 503 }, { status: 503 }, { status: 503 }])
  for (let at = 0; at < 3; at++) await expect(embedder.embed(['text'], asDocument)).rejects.toThrow('503')
  clock.pass(1_000)
  endpoint.refuse(text => text.startsWith('poison'), { status: 500 })
  const texts = Array.from({ length: 30 }, (_, at) => (at % 7 === 0 ? `poison ${at}` : `text ${at}`))
  const outcomes = await Promise.allSettled(texts.map(text => embedder.embed([text], asDocument)))
  for (const [at, outcome] of outcomes.entries())
    expect(outcome).toMatchObject(at % 7 === 0 ? { reason: { itemFault: true } } : { status: 'fulfilled' })
  expect(embedder.health().status).toBe('up')
})

test('a search is tried a second time, a write is left to the queue', async () => {
  const { endpoint, embedder } = await start()
  endpoint.fail(['down'])
  await embedder.embed(['search'], asQuery)
  endpoint.fail(['down'])
  await expect(embedder.embed(['write'], asDocument)).rejects.toThrow('cannot be reached')
})

test('a caller who gives up hears so at once, and what was not sent yet is never sent', async () => {
  const { endpoint, embedder } = await start()
  const release = endpoint.hold()
  const caller = new AbortController()
  const sent = [embedder.embed(['one'], asDocument)]
  await endpoint.arrived(1)
  sent.push(embedder.embed(['two'], asDocument))
  await endpoint.arrived(2)
  const waiting = embedder.embed(['three'], { kind: 'document', signal: caller.signal })
  caller.abort(new Error('no more time'))
  await expect(waiting).rejects.toThrow('no more time')
  release()
  await Promise.all(sent)
  await embedder.embed(['four'], asDocument)
  expect(endpoint.requests.flatMap(({ texts }) => texts)).toEqual(['one', 'two', 'four'])
})

test('when the service stops, nobody is left waiting', async () => {
  const { endpoint, embedder } = await start()
  endpoint.fail('silent')
  const waiting = embedder.embed(['text'], asDocument)
  await endpoint.arrived(1)
  await embedder[Symbol.asyncDispose]()
  await expect(waiting).rejects.toThrow('stopping')
})

/** Only the clock that the waits are measured with; connections go on in true time. */
function stopClock() {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  return { pass: (ms: number) => void vi.advanceTimersByTime(ms) }
}
