import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

/**
 * What `start` returns, for the tests of a file or of a `describe` block: it is started before the first of them and
 * disposed after the last. Its members can be read in tests and in hooks.
 */
export const fixture = <T extends AsyncDisposable>(start: () => Promise<T>): T =>
  between(start, beforeAll, afterAll)

/** The same, started and disposed for each test. */
export const fixturePerTest = <T extends AsyncDisposable>(start: () => Promise<T>): T =>
  between(start, beforeEach, afterEach)

type Hook = (run: () => Promise<void>) => void

function between<T extends AsyncDisposable>(start: () => Promise<T>, before: Hook, after: Hook): T {
  let started: T | undefined
  before(async () => {
    started = await start()
  })
  after(async () => {
    await started?.[Symbol.asyncDispose]()
    started = undefined
  })
  const running = () => {
    if (!started) throw new Error('A fixture can be used in tests and hooks only')
    return started
  }
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(running(), name),
    ownKeys: () => Reflect.ownKeys(running()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(running(), name),
  })
}
