import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import { ServiceError } from '../../contract/problems.ts'
import { createSemaphore, type Permit } from '../../platform/semaphore.ts'
import { timeLimit } from '../../platform/time-limit.ts'
import { untilAborted } from '../../platform/until-aborted.ts'
import type { CypherAnswer, CypherQuery } from '../../store/cypher/answer.ts'
import { TOO_LONG } from '../../store/cypher/failures.ts'
import { LONGEST_MS } from '../../store/cypher/query.ts'
import type { Neo4j } from '../../store/neo4j/attempts.ts'
import { toDatabaseUnavailable } from '../../store/neo4j/failures.ts'
import { type Address, type AskedQuery, type QueryAnswer, QueryThread } from './thread.ts'
import { QueryWatch } from './watch.ts'

/** A share of the database's processors, for all queries of all tenants. */
const AT_ONCE = { all: 4, each: 2 }
/** Neo4j ends a transaction in time as a rule, and says so. */
const LATEST_MS = LONGEST_MS + 1_000
/** Together with the time of a query less than a request may take. */
const LONGEST_WAIT_MS = 3_000

/**
 * Runs queries of callers, each in a thread of its own with its own connection. A query that is hard to read, to plan, to
 * run or to decode holds up nobody else: its thread is ended. Its permit is returned when the database has ended it too.
 */
export class CypherThreads implements AsyncDisposable {
  readonly #address: Address
  readonly #idle: QueryThread[] = []
  readonly #permits = createSemaphore(AT_ONCE)
  readonly #watch: QueryWatch

  constructor(neo4j: Neo4j, address: Address) {
    this.#address = address
    this.#watch = new QueryWatch(neo4j)
  }

  /** @throws ServiceError `cypher_not_allowed`, `cypher_failed`, `rate_limited`, `database_unavailable` */
  async run(ctx: Context, query: CypherQuery): Promise<CypherAnswer> {
    const permit = await this.#permit(ctx)
    const thread = await this.#thread(ctx).catch(error => {
      permit[Symbol.dispose]()
      throw error
    })
    const id = randomUUID()
    const answer = await this.#ask(ctx, thread, { ...query, id }).catch(error => {
      void thread.end()
      this.#watch.abandon(id, permit)
      throw error
    })
    this.#watch.finish(id)
    permit[Symbol.dispose]()
    this.#keep(thread)
    return resultOf(answer)
  }

  async #permit(ctx: Context): Promise<Permit> {
    using limit = timeLimit(ctx.signal, LONGEST_WAIT_MS)
    return await this.#permits.take(ctx.share ?? ctx.tenant, limit.signal).catch(reason => {
      throw limit.isOver()
        ? new ServiceError('rate_limited', BUSY, { retryAfterSeconds: LONGEST_WAIT_MS / 1_000 })
        : toDatabaseUnavailable(reason)
    })
  }

  async #thread({ signal, log }: Context): Promise<QueryThread> {
    try {
      return this.#idle.pop() ?? (await QueryThread.start(this.#address, signal))
    } catch (error) {
      if (signal.aborted) throw toDatabaseUnavailable(signal.reason)
      log.error({ error: String(error) }, 'a thread for queries in Cypher cannot start')
      throw toDatabaseUnavailable(error, 'The service cannot start a thread for this query now.')
    }
  }

  async #ask(ctx: Context, thread: QueryThread, asked: Omit<AskedQuery, 'bookmarks'>): Promise<QueryAnswer> {
    const ending = new AbortController()
    let limit: ReturnType<typeof timeLimit> | undefined
    try {
      const bookmarks = (await ctx.app.neo4j.bookmarks?.()) ?? []
      limit = timeLimit(ctx.signal, LATEST_MS)
      this.#watch.begin(asked.id, reason => ending.abort(reason))
      const answer = untilAborted(ending.signal, thread.ask({ ...asked, bookmarks }))
      return await untilAborted(limit.signal, answer)
    } catch (error) {
      if (limit?.isOver()) throw new ServiceError('cypher_failed', TOO_LONG)
      throw ctx.signal.aborted ? toDatabaseUnavailable(ctx.signal.reason) : error
    } finally {
      limit?.[Symbol.dispose]()
    }
  }

  #keep(thread: QueryThread) {
    this.#idle.push(thread)
    thread.endLater(() => this.#idle.splice(this.#idle.indexOf(thread), 1))
  }

  async [Symbol.asyncDispose]() {
    this.#watch.stop()
    await Promise.all(this.#idle.splice(0).map(thread => thread.end()))
  }
}

const BUSY = `Of the queries in Cypher, ${AT_ONCE.each} of a tenant and ${AT_ONCE.all} of all tenants run at once. Wait until others have ended.`

function resultOf(answer: QueryAnswer): CypherAnswer {
  if ('unavailable' in answer) throw toDatabaseUnavailable(answer.unavailable)
  if ('code' in answer) throw new ServiceError(answer.code, answer.detail)
  return answer
}
