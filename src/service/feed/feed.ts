import type { Context, Feed, Selection } from '../../context.ts'
import { ServiceError } from '../../contract/problems.ts'
import type { Log } from '../../platform/log.ts'
import { readChanges, readFeedEnds } from '../../store/feed/feed.ts'
import type { Batch, FeedBounds, Numbered } from '../../store/feed/types.ts'
import type { Neo4j } from '../../store/neo4j/attempts.ts'
import { oneStep } from '../streams.ts'
import { checkKept } from './changes.ts'
import { Channel, kindsFor } from './channel.ts'
import { Follower } from './follower.ts'
import { KeyChecks } from './key-checks.ts'
import { Numbering } from './numbering.ts'
import { inActiveSpace, prepareAll, select } from './selection.ts'
import type { StreamQuota } from './stream-quota.ts'

/** How often followed feeds are checked for changes that other processes have written. */
const LOOK_MS = 1_000
/** Changes that this process writes are read sooner; those within this time are read together. */
const GATHER_MS = { least: 50, most: 1_000 }
/** As many times as long as it took to bring changes to their followers, more are gathered: others write in the meantime. */
const REST = 4
/** How often followers see whether they may go on. */
const CALL_MS = 1_000
/** The most changes that are read at once. */
const CHANGES_AT_ONCE = 500

type Parts = { neo4j: Neo4j; log: Log; timeoutMs: number }

/**
 * Delivers the feeds of tenants to their followers. One statement reads the feeds of all followed tenants, however many
 * followers there are, and each change is read and compared once for all of them; without followers nothing is read.
 * Followers take at their own pace: a slow one reads older changes from the database on its own.
 */
export class ChangeFeed implements Feed {
  readonly #parts: Parts
  readonly #channels = new Map<string, Channel>()
  readonly #quota: StreamQuota
  readonly #closing = new AbortController()
  readonly #numbering: Numbering
  readonly #keys: KeyChecks
  #looking: Promise<void> | undefined
  #hurry = Promise.withResolvers<void>()

  constructor(parts: Parts, quota: StreamQuota) {
    this.#parts = parts
    this.#quota = quota
    this.#numbering = new Numbering(parts)
    this.#keys = new KeyChecks(parts.timeoutMs)
  }

  notice(tenant: string) {
    if (this.#channels.has(tenant)) this.#hurry.resolve()
  }

  number(of: Pick<Context, 'tenant' | 'signal'>, wanted?: Numbered): Promise<FeedBounds> {
    return this.#numbering.number(of, wanted)
  }

  /** Ends all streams. */
  async stop() {
    this.#closing.abort()
    this.#hurry.resolve()
    for (const channel of this.#channels.values()) channel.callAll()
    await this.#looking
  }

  /**
   * Yields what is wanted of the changes after a position, or from now on. The first batch is empty and gives the
   * position; so is a batch after a while without any. Ends with the signal of the context, and when the service stops.
   * @throws ServiceError `too_many_streams`, `cursor_expired`, `embedding_unavailable`, or the problem of a key that is no
   * longer valid
   */
  async *follow(ctx: Context, selection: Selection, after?: number): AsyncGenerator<Batch> {
    using _stream = this.#quota.take(ctx)
    const reach = await oneStep(ctx, step => this.number(step))
    const position = after ?? reach.last
    checkKept(position, reach)
    await oneStep(ctx, step => prepareAll(inActiveSpace(step), [selection]))
    const channel = this.#channelOf(ctx.tenant, reach.last)
    const follower = new Follower(ctx, selection, position)
    using _joined = this.#join(channel, follower)
    yield follower.takeAll()
    while (!this.#isOver(ctx)) {
      const batch = (await this.#keys.isGood(ctx)) ? await this.#next(channel, follower) : undefined
      if (batch) yield batch
      else await follower.called()
    }
  }

  #isOver = ({ signal }: Context) => signal.aborted || this.#closing.signal.aborted

  #channelOf(tenant: string, last: number): Channel {
    const channel = this.#channels.get(tenant) ?? new Channel(last)
    this.#channels.set(tenant, channel)
    return channel
  }

  #join(channel: Channel, follower: Follower): Disposable {
    const { tenant, signal } = follower.ctx
    channel.followers.add(follower)
    signal.addEventListener('abort', follower.call)
    this.#looking ??= this.#look()
    return {
      [Symbol.dispose]: () => {
        signal.removeEventListener('abort', follower.call)
        channel.followers.delete(follower)
        if (channel.followers.size === 0) this.#channels.delete(tenant)
      },
    }
  }

  /** What waits for a follower; one that is behind reads on its own. */
  async #next({ last }: Channel, follower: Follower): Promise<Batch | undefined> {
    if (follower.seen >= last) return follower.take()
    const { ctx, selection, seen } = follower
    const window = { after: seen, until: last, limit: CHANGES_AT_ONCE }
    const read = async (step: Context) => {
      const { changes, forgotten } = await readChanges(step, window, { kinds: selection.kinds, late: true })
      checkKept(seen, { last, forgotten })
      follower.offer(await select(step, changes, selection, ctx.app.glimpses.look), endOf(changes, last))
    }
    await oneStep(ctx, read)
    return follower.takeAll()
  }

  async #look() {
    const calling = setInterval(() => {
      for (const channel of this.#channels.values()) channel.callAll()
    }, CALL_MS)
    while (this.#channels.size > 0 && !this.#closing.signal.aborted) {
      const began = performance.now()
      const isBehind = await this.#lookOnce().catch(error => {
        if (!(error instanceof ServiceError))
          this.#parts.log.error({ error: String(error) }, 'fault in the feed')
        return false
      })
      await new Promise(setImmediate)
      if (!isBehind) await this.#pause(performance.now() - began)
    }
    clearInterval(calling)
    this.#looking = undefined
  }

  /** Answers whether there is more to bring to followers at once. */
  async #lookOnce(): Promise<boolean> {
    const { neo4j, timeoutMs } = this.#parts
    const caller = { app: { neo4j }, signal: AbortSignal.timeout(timeoutMs) }
    let isBehind = false
    for (const { tenant, last, pending } of await readFeedEnds(caller, [...this.#channels.keys()])) {
      const channel = this.#channels.get(tenant)
      if (channel && (pending || last !== channel.last))
        isBehind = (await this.#advance({ ...caller, tenant }, channel)) || isBehind
    }
    return isBehind
  }

  /** Answers whether there is more. */
  async #advance(of: Pick<Context, 'tenant' | 'signal'>, channel: Channel): Promise<boolean> {
    const { last } = await this.number(of)
    const window = { after: channel.last, until: last, limit: CHANGES_AT_ONCE }
    const inStep = channel.inStep()
    const kinds = kindsFor(inStep)
    const { changes } = await readChanges({ ...of, app: this.#parts }, window, { kinds, late: true })
    await channel.advance(inStep, { changes, end: endOf(changes, last), signal: of.signal })
    return channel.last < last
  }

  async #pause(tookMs: number) {
    const timer = setTimeout(() => this.#hurry.resolve(), LOOK_MS)
    await this.#hurry.promise
    clearTimeout(timer)
    this.#hurry = Promise.withResolvers()
    const { least, most } = GATHER_MS
    const gatherMs = Math.min(most, Math.max(least, REST * tookMs))
    if (!this.#closing.signal.aborted) await new Promise(resolve => setTimeout(resolve, gatherMs))
  }
}

/** How far changes go that were read up to a number. */
const endOf = (changes: readonly { number: number }[], until: number) =>
  changes.length < CHANGES_AT_ONCE ? until : (changes.at(-1)?.number ?? until)
