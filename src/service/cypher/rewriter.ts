import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createSemaphore, type Semaphore } from '../../platform/semaphore.ts'
import { timeLimit } from '../../platform/time-limit.ts'
import type { Hints } from './patterns.ts'
import { Refusal } from './refusal.ts'
import type { Rewritten } from './worker.ts'

/** With each way to begin a query, the cheapest for most graphs first. */
const ATTEMPTS: readonly Hints[] = ['none', 'first', 'ends']
/** Some texts take a parser of this grammar seconds. */
const LONGEST_MS = 3_000

/** Reads queries in a thread of its own, so that a query that is hard to read holds up nobody else. */
export class CypherRewriter implements AsyncDisposable {
  private worker: Worker | undefined
  private readonly turn: Semaphore = createSemaphore({ all: 1, each: 1 })

  /**
   * The same query bound to one tenant, with no hints and with ever more.
   * @throws Refusal
   */
  async rewrite(tenant: string, query: string, signal: AbortSignal): Promise<string[]> {
    using _permit = await this.turn.take(tenant, signal)
    const worker = await this.running(signal)
    using limit = timeLimit(signal, LONGEST_MS)
    worker.postMessage({ query, hints: ATTEMPTS })
    try {
      const [answer] = (await once(worker, 'message', { signal: limit.signal })) as [Rewritten[]]
      return answer.map(each => {
        if ('refusal' in each) throw new Refusal(each.refusal)
        return each.text
      })
    } catch (error) {
      if (error instanceof Refusal) throw error
      await this.stop()
      if (signal.aborted) throw signal.reason
      throw new Refusal('The query is too hard to read. Nest less.')
    }
  }

  /** The worker lies next to this file, as TypeScript in the sources and as JavaScript in the package. */
  private async running(signal: AbortSignal): Promise<Worker> {
    if (this.worker) return this.worker
    const worker = new Worker(new URL(`./worker${extname(import.meta.filename)}`, import.meta.url), {
      name: 'cypher',
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    }).on('error', () => {})
    worker.unref()
    this.worker = worker
    await once(worker, 'message', { signal }).catch(async error => {
      await this.stop()
      throw error
    })
    return worker
  }

  private async stop(): Promise<void> {
    const { worker } = this
    this.worker = undefined
    await worker?.terminate()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}
