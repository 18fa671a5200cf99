import type { Batch, Context, Feed } from '../../context.ts'
import { ServiceError } from '../../contract/problems.ts'
import type { Log } from '../../platform/log.ts'
import { type FeedBounds, numberChanges, readChanges, readFeedEnds } from '../../store/feed/feed.ts'
import type { Neo4j } from '../../store/neo4j/statements.ts'
import { oneStep } from '../streams.ts'
import { checkKept } from './changes.ts'
import { CHANGES_AT_ONCE, Channel } from './channel.ts'
import type { StreamQuota } from './stream-quota.ts'

/** How often followed feeds are checked for changes that other processes have written. */
const LOOK_MS = 1_000
/** Changes that this process writes are read sooner; those within this time are read together. */
const GATHER_MS = 50
/** How often a follower receives an empty batch if there is nothing new. */
const IDLE_MS = 15_000
/** How often a follower's key is checked again. */
const RECHECK_MS = 1_000

/** Each follower picks what it wants. */
const ALL = { late: true }

type Parts = { neo4j: Neo4j; log: Log; timeoutMs: number }

/**
 * Delivers the feeds of tenants to their followers. One statement reads the feeds of all followed tenants, however many
 * followers there are; without followers nothing is read. Followers read at their own pace: a slow one reads older
 * changes from the database on its own.
 */
export class ChangeFeed implements Feed {
  readonly #parts: Parts
  readonly #channels = new Map<string, Channel>()
  readonly #quota: StreamQuota
  readonly #closing = new AbortController()
  readonly #numbering = new Map<string, Promise<FeedBounds>>()
  readonly #nextNumbering = new Map<string, Promise<FeedBounds>>()
  #looking: Promise<void> | undefined
  #hurry = Promise.withResolvers<void>()

  constructor(parts: Parts, quota: StreamQuota) {
    this.#parts = parts
    this.#quota = quota
  }

  notice(tenant: string) {
    if (this.#channels.has(tenant)) this.#hurry.resolve()
  }

  /** Ends all streams. */
  async stop() {
    this.#closing.abort()
    this.#hurry.resolve()
    for (const channel of this.#channels.values()) channel.wake()
    await this.#looking
  }

  /**
   * Yields the changes after a position, or from now on. The first batch is empty and gives the position; so is a batch
   * after a while without changes. Ends with the signal of the context, and when the service stops.
   * @throws ServiceError `too_many_streams`, `cursor_expired`, or the problem of a key that is no longer valid
   */
  async *follow(ctx: Context, after?: number): AsyncGenerator<Batch> {
    using _stream = this.#quota.take(ctx)
    const reach = await this.#number(ctx.tenant)
    let position = after ?? reach.last
    checkKept(position, reach)
    const channel = this.#join(ctx.tenant, reach.last)
    try {
      yield { changes: [], end: position }
      let sentAt = Date.now()
      for (let checked = Date.now(); !this.#isOver(ctx); ) {
        const isDue = Date.now() - checked >= RECHECK_MS
        const isGood = !isDue || (await isStillGood(ctx))
        if (isDue && isGood) checked = Date.now()
        const batch = isGood ? await this.#next(ctx, channel, position) : { changes: [], end: position }
        if (batch.end > position || Date.now() - sentAt >= IDLE_MS) {
          yield batch
          position = batch.end
          sentAt = Date.now()
        } else await channel.wait(RECHECK_MS, ctx.signal)
      }
    } finally {
      channel.followers--
      if (channel.followers === 0) this.#channels.delete(ctx.tenant)
    }
  }

  #isOver = ({ signal }: Context) => signal.aborted || this.#closing.signal.aborted

  /** Those who come before a numbering begins share it: many who each made their own would wait for the same lock. */
  #number(tenant: string): Promise<FeedBounds> {
    const shared = this.#nextNumbering.get(tenant)
    if (shared) return shared
    const { neo4j, timeoutMs } = this.#parts
    const number = async () => {
      await this.#numbering.get(tenant)?.catch(() => {})
      this.#nextNumbering.delete(tenant)
      this.#numbering.set(tenant, next)
      try {
        return await numberChanges({ app: { neo4j }, tenant, signal: AbortSignal.timeout(timeoutMs) })
      } finally {
        if (this.#numbering.get(tenant) === next) this.#numbering.delete(tenant)
      }
    }
    const next = number()
    this.#nextNumbering.set(tenant, next)
    return next
  }

  #join(tenant: string, last: number): Channel {
    const channel = this.#channels.get(tenant) ?? new Channel(last)
    this.#channels.set(tenant, channel)
    channel.followers++
    this.#looking ??= this.#look()
    return channel
  }

  async #next(ctx: Context, channel: Channel, position: number): Promise<Batch> {
    const recent = channel.after(position)
    if (recent) return recent
    const until = channel.last
    const window = { after: position, until, limit: CHANGES_AT_ONCE }
    const { changes, forgotten } = await oneStep(ctx, step => readChanges(step, window, ALL))
    checkKept(position, { last: until, forgotten })
    return { changes, end: changes.length < CHANGES_AT_ONCE ? until : (changes.at(-1)?.number ?? until) }
  }

  async #look() {
    while (this.#channels.size > 0 && !this.#closing.signal.aborted) {
      await this.#lookOnce().catch(error => {
        if (!(error instanceof ServiceError))
          this.#parts.log.error({ error: String(error) }, 'fault in the feed')
      })
      await this.#pause()
    }
    this.#looking = undefined
  }

  async #lookOnce() {
    const { neo4j, timeoutMs } = this.#parts
    const caller = { app: { neo4j }, signal: AbortSignal.timeout(timeoutMs) }
    for (const { tenant, last, pending } of await readFeedEnds(caller, [...this.#channels.keys()])) {
      const channel = this.#channels.get(tenant)
      if (!channel || (!pending && last === channel.last)) continue
      const of = { ...caller, tenant }
      const reach = await this.#number(tenant)
      const window = { after: channel.last, until: reach.last, limit: CHANGES_AT_ONCE }
      const { changes } = await readChanges(of, window, ALL)
      channel.advance(reach.last, changes)
    }
  }

  async #pause() {
    const timer = setTimeout(() => this.#hurry.resolve(), LOOK_MS)
    await this.#hurry.promise
    clearTimeout(timer)
    this.#hurry = Promise.withResolvers()
    if (!this.#closing.signal.aborted) await new Promise(resolve => setTimeout(resolve, GATHER_MS))
  }
}

/** False if the database does not respond, which says nothing about the key. @throws ServiceError if the key is no longer valid */
async function isStillGood({ recheck, signal }: Context): Promise<boolean> {
  try {
    await recheck?.(signal)
    return true
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'database_unavailable') return false
    throw error
  }
}
