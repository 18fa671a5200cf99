import type { Batch, Context, Feed } from '../../context.ts'
import { ServiceError } from '../../contract/problems.ts'
import type { Log } from '../../platform/log.ts'
import { glance, numberChanges, readChanges } from '../../store/feed/feed.ts'
import type { Neo4j } from '../../store/neo4j/statements.ts'
import { oneStep } from '../streams.ts'
import { checkKept } from './changes.ts'
import { Channel, PAGE } from './channel.ts'
import type { StreamQuota } from './stream-quota.ts'

/** How often the feeds that somebody follows are looked at, for what other processes write. */
const LOOK_MS = 1_000
/** What this process writes is looked at sooner, and what comes close upon it together. */
const GATHER_MS = 50
/** How often a follower hears that there is nothing new. */
const IDLE_MS = 15_000
/** How often it is looked whether a follower's key is still good. */
const RECHECK_MS = 1_000

type Parts = { neo4j: Neo4j; log: Log; timeoutMs: number }

/**
 * Brings the feeds of tenants to those who follow them. However many follow a tenant, it is looked at once, by one
 * statement for all tenants; as long as nobody follows anything, not at all. Followers take at their own pace: what
 * they have not taken yet stays in the database, where a slow one reads it by itself.
 */
export class ChangeFeed implements Feed {
  readonly #parts: Parts
  readonly #channels = new Map<string, Channel>()
  readonly #places: StreamQuota
  readonly #closing = new AbortController()
  #looking: Promise<void> | undefined
  #hurry = Promise.withResolvers<void>()

  constructor(parts: Parts, places: StreamQuota) {
    this.#parts = parts
    this.#places = places
  }

  notice(tenant: string) {
    if (this.#channels.has(tenant)) this.#hurry.resolve()
  }

  /** Ends all that follow, in good order. */
  async stop() {
    this.#closing.abort()
    this.#hurry.resolve()
    for (const channel of this.#channels.values()) channel.wake()
    await this.#looking
  }

  /**
   * What is told behind a place, or from now on; first of all where that is. A batch is empty when nothing came for a
   * while. Ends with the signal of the context, and when the service stops.
   * @throws ServiceError `too_many_streams`, `cursor_expired`, or what the key meets once it is no longer good
   */
  async *follow(ctx: Context, after?: number): AsyncGenerator<Batch> {
    using _place = this.#places.take(ctx)
    const reach = await oneStep(ctx, numberChanges)
    let place = after ?? reach.last
    checkKept(place, reach)
    const channel = this.#join(ctx.tenant, reach.last)
    try {
      yield { changes: [], end: place }
      let told = Date.now()
      for (let checked = Date.now(); !this.#isOver(ctx); ) {
        const isDue = Date.now() - checked >= RECHECK_MS
        const isGood = !isDue || (await isStillGood(ctx))
        if (isDue && isGood) checked = Date.now()
        const batch = isGood ? await this.#next(ctx, channel, place) : { changes: [], end: place }
        if (batch.end > place || Date.now() - told >= IDLE_MS) {
          yield batch
          place = batch.end
          told = Date.now()
        } else await channel.wait(RECHECK_MS, ctx.signal)
      }
    } finally {
      channel.followers--
      if (channel.followers === 0) this.#channels.delete(ctx.tenant)
    }
  }

  #isOver = ({ signal }: Context) => signal.aborted || this.#closing.signal.aborted

  #join(tenant: string, last: number): Channel {
    const channel = this.#channels.get(tenant) ?? new Channel(last)
    this.#channels.set(tenant, channel)
    channel.followers++
    this.#looking ??= this.#look()
    return channel
  }

  async #next(ctx: Context, channel: Channel, place: number): Promise<Batch> {
    const recent = channel.behind(place)
    if (recent) return recent
    const until = channel.last
    const window = { after: place, until, limit: PAGE }
    const { changes, forgotten } = await oneStep(ctx, step => readChanges(step, window))
    checkKept(place, { last: until, forgotten })
    return { changes, end: changes.length < PAGE ? until : (changes.at(-1)?.number ?? until) }
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
    for (const { tenant, last, pending } of await glance(caller, [...this.#channels.keys()])) {
      const channel = this.#channels.get(tenant)
      if (!channel || (!pending && last === channel.last)) continue
      const of = { ...caller, tenant }
      const reach = await numberChanges(of)
      const window = { after: channel.last, until: reach.last, limit: PAGE }
      const { changes } = await readChanges(of, window)
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

/** False where the database does not answer, which says nothing about the key. @throws what a key meets that is not good */
async function isStillGood({ recheck, signal }: Context): Promise<boolean> {
  try {
    await recheck?.(signal)
    return true
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'database_unavailable') return false
    throw error
  }
}
