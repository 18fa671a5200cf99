import type { Context } from '../../context.ts'
import { ServiceError } from '../../contract/problems.ts'

/** How many may follow feeds at a time in this process, in all and with one key. */
export class Places {
  readonly #most: { all: number; ofKey: number }
  readonly #taken = new Map<string, number>()
  #all = 0

  constructor(most: { all: number; ofKey: number }) {
    this.#most = most
  }

  /** A place until it is disposed of. @throws ServiceError `too_many_streams` */
  take({ tenant, key = '' }: Pick<Context, 'tenant' | 'key'>): Disposable {
    const name = `${tenant} ${key}`
    const taken = this.#taken.get(name) ?? 0
    if (taken >= this.#most.ofKey) throw full(`This key has ${taken} open streams; that is the maximum.`)
    if (this.#all >= this.#most.all) throw full('The service has as many open streams as it may.')
    this.#taken.set(name, taken + 1)
    this.#all++
    return { [Symbol.dispose]: () => this.#leave(name) }
  }

  #leave(name: string) {
    const left = (this.#taken.get(name) ?? 1) - 1
    if (left === 0) this.#taken.delete(name)
    else this.#taken.set(name, left)
    this.#all--
  }
}

const full = (detail: string) => new ServiceError('too_many_streams', detail, { retryAfterSeconds: 10 })
