import { once } from 'node:events'
import { extname } from 'node:path'
import type { Context } from '../../../context.ts'
import { type RelationshipType, relationshipTypes } from '../../../contract/connections.ts'
import { startThread, threadFault } from '../../../platform/thread-room.ts'
import { readFeedEnds } from '../../../store/feed/feed.ts'
import { readStandings, readTies, saveAnalysis, saveStandings } from '../../../store/graph/communities.ts'
import type { EdgePosition } from '../../../store/graph/export.ts'
import { completeJob } from '../../../store/jobs/ending.ts'
import type { LeasedJob } from '../../../store/jobs/leases.ts'
import { START } from '../../../store/memories/look-through.ts'
import type { Analysed, Piece } from './worker.ts'

/** How much a type of connection binds two memories. A mention also leads to another subject. */
const weights: Record<RelationshipType, number> = {
  related_to: 1,
  caused_by: 1,
  part_of: 1,
  references: 0.5,
  contradicts: 1,
  supports: 1,
  similar_to: 1,
  derived_from: 1,
}

const PAGE = 5_000
/** So few are written at once that nobody waits long for one of them. */
const WRITTEN_AT_ONCE = 250
const MEMORY_MB = 2_048

/** Computes the communities of a tenant's graph, and how central its memories are. Starts from the beginning if it is interrupted. */
export async function analyseGraph(ctx: Context, job: LeasedJob): Promise<void> {
  const [feed] = await readFeedEnds(ctx, [ctx.tenant])
  const { communities, size, changes } = await analysed(ctx)
  for (let at = 0; at < changes.length; at += WRITTEN_AT_ONCE)
    await saveStandings(ctx, changes.slice(at, at + WRITTEN_AT_ONCE))
  await saveAnalysis(ctx, { reach: feed?.last ?? 0, size, communities })
  await completeJob(ctx, job)
}

/** In a thread of its own, which gets the graph page by page and gives its memory back at the end. */
async function analysed(ctx: Context): Promise<Analysed> {
  await using thread = new Thread(ctx.signal)
  for (let after = START, more = true; more; ) {
    const memories = await readStandings(ctx, after, PAGE)
    after = memories.at(-1)?.id ?? after
    more = memories.length === PAGE
    await thread.give({ memories })
  }
  for (const type of relationshipTypes)
    for (let after: EdgePosition | undefined, more = true; more; ) {
      const ties = await readTies(ctx, type, after, PAGE)
      after = ties.at(-1)?.position
      more = ties.length === PAGE
      await thread.give({ ties, weight: weights[type] })
    }
  return (await thread.give({ tenant: ctx.tenant })) as Analysed
}

/** The worker lies next to this file, as TypeScript in the sources and as JavaScript in the package. */
class Thread implements AsyncDisposable {
  readonly #signal: AbortSignal
  readonly #worker = startThread(new URL(`./worker${extname(import.meta.filename)}`, import.meta.url), {
    name: 'communities',
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  })

  constructor(signal: AbortSignal) {
    const ended = new AbortController()
    this.#signal = AbortSignal.any([signal, ended.signal])
    this.#worker.once('error', error => ended.abort(threadFault(error)))
  }

  async give(piece: Piece): Promise<unknown> {
    const answer = once(this.#worker, 'message', { signal: this.#signal })
    this.#worker.postMessage(piece)
    const [message] = await answer.catch(error => {
      throw this.#signal.aborted ? this.#signal.reason : error
    })
    return message
  }

  async [Symbol.asyncDispose]() {
    await this.#worker.terminate()
  }
}
