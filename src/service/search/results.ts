import type { Context, QueryVector } from '../../context.ts'
import { cutWords } from '../../platform/text/words.ts'
import type { MemoryFilter } from '../../store/memories/filter.ts'
import { READ_CHARACTERS } from '../../store/neo4j/words.ts'
import { readHits } from '../../store/search/hits.ts'
import type { Result, Scoring } from './hits.ts'

type Scored = Scoring & { readonly id: string }

/** `digests` are those of the texts of what was met. */
type Reach = {
  readonly digests: ReadonlyMap<string, string | null>
  readonly filter: MemoryFilter
  readonly vector: QueryVector | undefined
  readonly most: number
}

/** The first `most` results in their order. What no longer passes the filter when it is read is passed over. */
export async function readResults(ctx: Context, scored: readonly Scored[], reach: Reach): Promise<Result[]> {
  const results: Result[] = []
  for (let at = 0; at < scored.length && results.length < reach.most; ) {
    const next = scored.slice(at, at + reach.most - results.length)
    results.push(...(await readNext(ctx, next, reach)))
    at += next.length
  }
  return results
}

/** A cosine with the query that the index has given, and words that are known, are not read again. */
async function readNext(
  ctx: Context,
  scored: readonly Scored[],
  { digests, filter, vector }: Reach,
): Promise<Result[]> {
  const { knownWords } = ctx.app
  const isPlain = vector?.plain === vector?.mean
  const cosines = new Map(
    scored.map(({ id, explain }) => [id, isPlain ? explain?.semantic?.cosine : undefined]),
  )
  const words = new Map(scored.map(({ id }) => [id, knownWords.get(ctx, digests.get(id) ?? null)]))
  const ids = [...words.keys()]
  const hits = await readHits(ctx, ids, filter, {
    plain: vector?.plain,
    cosine: ids.filter(id => cosines.get(id) === undefined),
    words: ids.filter(id => words.get(id) === undefined),
  })
  const read = new Map(hits.map(hit => [hit.memory.id, hit]))
  return scored.flatMap(({ id, ...scoring }) => {
    const hit = read.get(id)
    if (!hit) return []
    if (hit.words !== null) knownWords.keep(ctx, hit.digest, hit.words)
    const { memory, conflicts } = hit
    const found = cutWords(words.get(id) ?? hit.words ?? '', READ_CHARACTERS)
    return [{ memory, conflicts, words: found, cosine: cosines.get(id) ?? hit.cosine, ...scoring }]
  })
}
