import type { Context, QueryVector } from '../../context.ts'
import { cutWords } from '../../platform/text/words.ts'
import type { MemoryFilter } from '../../store/memories/filter.ts'
import { READ_CHARACTERS } from '../../store/neo4j/words.ts'
import { type Candidate, readHits } from '../../store/search/hits.ts'
import type { Asked, Result, Scoring } from './hits.ts'

type Scored = Scoring & { readonly id: string }

/** `met` are all memories that may be among the results. */
type Reach = Pick<Asked, 'returned' | 'most'> & {
  readonly met: readonly Pick<Candidate, 'id' | 'digest'>[]
  readonly filter: MemoryFilter
  readonly vector: QueryVector | undefined
}

/** The first `most` results in their order that no earlier page returned. One that passes the filter no more is left out. */
export async function readResults(ctx: Context, scored: readonly Scored[], reach: Reach): Promise<Result[]> {
  const { returned, most } = reach
  const left = scored.filter(({ id }) => !returned.has(id))
  const results: Result[] = []
  for (let at = 0; at < left.length && results.length < most; ) {
    const next = left.slice(at, at + most - results.length)
    results.push(...(await readNext(ctx, next, reach)))
    at += next.length
  }
  return results
}

/** A cosine with the query that the index has given, and words that are known, are not read again. */
async function readNext(
  ctx: Context,
  scored: readonly Scored[],
  { met, filter, vector }: Reach,
): Promise<Result[]> {
  const { knownWords } = ctx.app
  const isPlain = vector?.plain === vector?.mean
  const cosines = new Map(
    scored.map(({ id, explain }) => [id, isPlain ? explain?.semantic?.cosine : undefined]),
  )
  const digests = new Map(met.map(({ id, digest }) => [id, digest]))
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
