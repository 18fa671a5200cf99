import type { Context } from '../../context.ts'
import { indexedWords } from '../../platform/text/words.ts'
import { timeSlices } from '../../platform/time-slices.ts'
import { type LookedThrough, lookThroughAsOf } from '../../store/memories/as-of.ts'
import { toFilter } from '../memories/filters.ts'
import { type Asked, ranked, type Search, type SearchOutcome } from './hits.ts'
import { LOCAL_MATCHES, rescored, toScoring } from './keyword.ts'
import { toKeywordReading, toWordQuery } from './words.ts'

/** How many memories a search of the past looks through, those that were created last. */
const LOOKED_THROUGH = 10_000

/** Which memories there were then whose text of then has the words: no index holds what texts were. */
export async function keywordSearchAsOf(
  ctx: Context,
  input: Search,
  count: number,
  asked: Asked,
): Promise<SearchOutcome> {
  const filter = toFilter(input)
  const matches: Match[] = []
  const nextSlice = timeSlices()
  const matchOf = matching(asked)
  let truncated = asked.reading.cut
  for await (const page of lookThroughAsOf(ctx, filter, LOOKED_THROUGH)) {
    truncated ||= page.lost || page.isCut
    for (const memory of page.found) {
      await nextSlice()
      const words = indexedWords(memory.content)
      const score = matchOf(words)
      if (score > 0) matches.push({ id: memory.id, memory, words, score })
    }
  }
  matches.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
  const all = matches.length <= LOCAL_MATCHES
  const hits = await rescored(matches, asked, { all })
  return {
    results: ranked(hits)
      .slice(0, count)
      .map((hit, at) => {
        const { memory, words } = hits[at] as Match
        return { memory, words, conflicts: [], cosine: null, ...toScoring(hit) }
      }),
    reading: { semantic: null, keyword: toKeywordReading(asked.reading) },
    truncated,
    degraded: false,
    plain: null,
  }
}

type Match = { id: string; memory: LookedThrough['found'][number]; words: string; score: number }

/** Of the words of a text, how many of the words it has if it has all phrases; as the index would find it. */
function matching({ reading }: Asked): (words: string) => number {
  const { terms, phrases } = toWordQuery(reading)
  return words => {
    const text = ` ${words} `
    const has = (forms: readonly string[]) => forms.some(form => text.includes(` ${form} `))
    return phrases.every(has) ? terms.filter(has).length : 0
  }
}
