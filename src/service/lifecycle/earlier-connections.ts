import type { Context } from '../../context.ts'
import {
  type EarlierRow,
  keepEarlierPlace,
  keptSince,
  readEarlierBehind,
  readEarlierPlace,
  removeEarlierOnes,
} from '../../store/connections/earlier-retention.ts'

const PAGE = 1_000
/** So many pages are looked at in one round; the next round continues. */
const PAGES = 20
/** Behind the id of every memory. */
const LAST = '\uffff'

/** Removes the earlier connections that nobody can ask for any more, a bounded part of them a round. */
export async function retainEarlierConnections(ctx: Context): Promise<void> {
  // Of the source that the last round has looked at last, nothing is looked at again.
  let place = { source: (await readEarlierPlace(ctx)) ?? LAST, until: 0 }
  const kept = new Map<string, number>()
  for (let page = 0; page < PAGES; page++) {
    const rows = await readEarlierBehind(ctx, place, PAGE)
    const over = await overOf(ctx, rows, kept)
    if (over.length > 0) await removeEarlierOnes(ctx, over)
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return void (await keepEarlierPlace(ctx, null))
    place = last
  }
  await keepEarlierPlace(ctx, place.source)
}

/**
 * Those that ended before everything that is kept of one of their ends, and of each connection what is beyond as many as versions
 * are kept. `kept` counts for the source in progress: the latest come first.
 */
async function overOf(ctx: Context, rows: readonly EarlierRow[], kept: Map<string, number>) {
  const since = await keptSince(ctx, [...new Set(rows.flatMap(({ source, target }) => [source, target]))])
  const isKept = (id: string, until: number) => (since.get(id) ?? until) < until
  return rows.filter(({ source, target, type, until }) => {
    if (!isKept(source, until) || !isKept(target, until)) return true
    const key = `${source} ${type} ${target}`
    const count = (kept.get(key) ?? 0) + 1
    kept.set(key, count)
    return count > ctx.app.config.historyVersions
  })
}
