import type { Context } from '../../context.ts'
import { baseTenant } from '../../contract/private.ts'
import { ServiceError } from '../../contract/problems.ts'

/** Limits the open streams of this process: in total, for each key, and for each tenant, so that no tenant uses all of them. */
export class StreamQuota {
  readonly #most: { all: number; ofKey: number; ofTenant: number }
  readonly #taken = new Map<string, number>()

  constructor({ all, ofKey }: { all: number; ofKey: number }) {
    this.#most = { all, ofKey, ofTenant: Math.max(ofKey, all - ofKey) }
  }

  /** Counts a stream until the result is disposed of. @throws ServiceError `too_many_streams` */
  take({ tenant, key = '' }: Pick<Context, 'tenant' | 'key'>): Disposable {
    const of = baseTenant(tenant)
    const names = { all: '', ofTenant: of, ofKey: `${of} ${key}` }
    const isFull = (of: keyof typeof names) => this.#count(names[of]) >= this.#most[of]
    if (isFull('ofKey')) throw full(`This key has ${this.#most.ofKey} open streams; that is the maximum.`)
    if (isFull('ofTenant'))
      throw full('This tenant has as many open streams as it may. Close one, or try again later.')
    if (isFull('all')) throw full('The service has reached its maximum of open streams.')
    for (const name of Object.values(names)) this.#taken.set(name, this.#count(name) + 1)
    return {
      [Symbol.dispose]: () => {
        for (const name of Object.values(names)) this.#leave(name)
      },
    }
  }

  /** No further stream may be opened. */
  get isFull(): boolean {
    return this.#count('') >= this.#most.all
  }

  #count = (name: string) => this.#taken.get(name) ?? 0

  #leave(name: string) {
    const left = this.#count(name) - 1
    if (left === 0) this.#taken.delete(name)
    else this.#taken.set(name, left)
  }
}

const full = (detail: string) => new ServiceError('too_many_streams', detail, { retryAfterSeconds: 10 })
