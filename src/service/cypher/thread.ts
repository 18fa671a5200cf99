import { once } from 'node:events'
import { extname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import type { ProblemCode } from '../../contract/problem-codes.ts'
import { ServiceError } from '../../contract/problems.ts'
import { startThread } from '../../platform/thread-room.ts'
import type { CypherAnswer, CypherQuery } from '../../store/cypher/answer.ts'

export type Address = {
  readonly uri: string
  readonly username: string
  readonly password: string
  readonly database: string
  readonly readsLeader: boolean
}

export type AskedQuery = CypherQuery & {
  /** Names its transactions. */
  readonly id: string
  readonly bookmarks: readonly string[]
}

type Refused = { readonly code: ProblemCode; readonly detail: string }
export type QueryAnswer = CypherAnswer | Refused | { readonly unavailable: string }

const IDLE_MS = 60_000
const MOST_MEGABYTES = 256

/** A thread that answers one query at a time. Ending it ends its connection too. */
export class QueryThread {
  readonly #worker: Worker
  #idle: NodeJS.Timeout | undefined

  /** A thread that has loaded its modules: on a busy machine this takes longer than a query may. */
  static async start(address: Address, signal: AbortSignal): Promise<QueryThread> {
    const thread = new QueryThread(address)
    await once(thread.#worker, 'message', { signal }).catch(error => {
      void thread.end()
      throw error
    })
    return thread
  }

  /** The worker lies next to this file, as TypeScript in the sources and as JavaScript in the package. */
  private constructor(address: Address) {
    this.#worker = startThread(new URL(`./worker${extname(import.meta.filename)}`, import.meta.url), {
      name: 'cypher',
      workerData: address,
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
    }).on('error', () => {})
    this.#worker.unref()
  }

  /** @throws ServiceError `cypher_failed` for an answer that needs too much memory */
  async ask(asked: AskedQuery): Promise<QueryAnswer> {
    clearTimeout(this.#idle)
    this.#worker.postMessage(asked)
    const [answer] = await once(this.#worker, 'message').catch(error => {
      throw error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ServiceError('cypher_failed', TOO_LARGE) : error
    })
    return answer as QueryAnswer
  }

  endLater(ended: () => void) {
    this.#idle = setTimeout(() => {
      ended()
      void this.end()
    }, IDLE_MS).unref()
  }

  async end(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#worker.terminate()
  }
}

const TOO_LARGE = 'The rows need more memory than a query may have. Return fewer or shorter values.'
