import type { Memory } from '../../contract/memory.ts'
import { indexedTokens } from '../../platform/text/words.ts'

/** Memories that share so much of their words say nearly the same (Sørensen and Dice). */
const NEARLY = 0.8
/** Fewer words are alike by chance. */
const FEW = 4

type Result = { readonly memory: Memory; readonly words: string }
type Said = { readonly id: string; readonly since: number; readonly stems: ReadonlySet<string> }

/** For each result the others that are newer and say nearly the same, newest first. Other requests run at each `nextSlice`. */
export async function newerOf(
  results: readonly Result[],
  nextSlice: () => Promise<void>,
): Promise<Map<string, string[]>> {
  const all: Said[] = []
  for (const { memory, words } of results) {
    await nextSlice()
    all.push({ id: memory.id, since: sinceOf(memory), stems: new Set(indexedTokens(words).stems) })
  }
  const newestFirst = all.filter(({ stems }) => stems.size >= FEW).sort((a, b) => (isLater(a, b) ? -1 : 1))
  const newer = new Map<string, string[]>()
  for (const [at, older] of newestFirst.entries()) {
    await nextSlice()
    const ids = newestFirst.slice(0, at).flatMap(each => (isNewer(each, older) ? [each.id] : []))
    if (ids.length > 0) newer.set(older.id, ids)
  }
  return newer
}

/** From when on a memory holds. */
const sinceOf = ({ valid_from, created_at }: Memory) => Date.parse(valid_from ?? created_at)

/** Of the same time, that of a batch, the later id is the newer one. */
const isLater = (a: Said, b: Said) => a.since > b.since || (a.since === b.since && a.id > b.id)

const isNewer = (newer: Said, older: Said) =>
  isLater(newer, older) && likeness(newer.stems, older.stems) >= NEARLY

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const most = (2 * Math.min(a.size, b.size)) / (a.size + b.size)
  if (most < NEARLY) return most
  let shared = 0
  for (const stem of a) if (b.has(stem)) shared++
  return (2 * shared) / (a.size + b.size)
}
