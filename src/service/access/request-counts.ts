import { randomUUID } from 'node:crypto'
import type { App } from '../../context.ts'
import { exchangeCounts, type RequestCount, removeOldCounts } from '../../store/access/request-counts.ts'

const EXCHANGE_MS = 1_000
const CLEAN_MS = 60_000
const STATEMENT_MS = 5_000

/**
 * What the processes of a service tell each other about requests, so that a limit holds for all of them together. A
 * process writes once a second at most, and only of clients that have used a tenth of their limit since; a client can
 * exceed its limit by what the other processes accept within that second.
 */
export class RequestCounts {
  readonly #app: Pick<App, 'neo4j' | 'log'>
  readonly #process = randomUUID()
  readonly #news = new Map<string, RequestCount>()
  readonly #others = new Map<string, RequestCount>()
  #timer: NodeJS.Timeout | undefined
  #cleanedAt = Date.now()

  constructor(app: Pick<App, 'neo4j' | 'log'>) {
    this.#app = app
  }

  /** Has the other processes learn of a count, soon. */
  share(count: RequestCount) {
    this.#news.set(count.client, count)
    this.#timer ??= setTimeout(() => void this.#exchange(), EXCHANGE_MS).unref()
  }

  /** How many requests of a client the other processes have counted. */
  ofOthers(client: string): number {
    const known = this.#others.get(client)
    return known && known.until > Date.now() ? known.hits : 0
  }

  async #exchange() {
    const counts = [...this.#news.values()]
    this.#news.clear()
    const caller = () => ({ app: this.#app, signal: AbortSignal.timeout(STATEMENT_MS) })
    try {
      for (const count of await exchangeCounts(caller(), this.#process, counts))
        this.#others.set(count.client, count)
      if (Date.now() - this.#cleanedAt > CLEAN_MS) await this.#clean(caller())
    } catch {
      this.#app.log.warn('the counts of requests were not shared: each process limits for itself')
    }
    this.#timer = undefined
    if (this.#news.size > 0) this.#timer = setTimeout(() => void this.#exchange(), EXCHANGE_MS).unref()
  }

  async #clean(caller: Parameters<typeof removeOldCounts>[0]) {
    this.#cleanedAt = Date.now()
    for (const [client, { until }] of this.#others) if (until < Date.now()) this.#others.delete(client)
    await removeOldCounts(caller)
  }
}
