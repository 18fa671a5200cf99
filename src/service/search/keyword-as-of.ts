import type { Context } from '../../context.ts'
import { cutWords, indexedWords } from '../../platform/text/words.ts'
import { timeSlices } from '../../platform/time-slices.ts'
import { type LookedThrough, lookThroughAsOf } from '../../store/memories/as-of.ts'
import { READ_CHARACTERS } from '../../store/neo4j/words.ts'
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
      const score = matchOf(memory.content)
      if (score > 0) matches.push({ id: memory.id, memory, words: null, score })
    }
  }
  matches.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
  const all = matches.length <= LOCAL_MATCHES
  const scored = matches.slice(0, LOCAL_MATCHES).map(match => ({ ...match, words: wordsIn(match) }))
  const hits = await rescored([...scored, ...matches.slice(LOCAL_MATCHES)], asked, { all })
  return {
    results: ranked(hits)
      .slice(0, count)
      .map((hit, at) => {
        const match = hits[at] as Match
        const words = cutWords(wordsIn(match), READ_CHARACTERS)
        return { memory: match.memory, words, conflicts: [], cosine: null, ...toScoring(hit) }
      }),
    reading: { semantic: null, keyword: toKeywordReading(asked.reading) },
    truncated,
    degraded: false,
    plain: null,
    worded: matches.length > 0,
  }
}

/** The words are made for the few that are scored or shown: those of all would take much memory. */
type Match = { id: string; memory: LookedThrough['found'][number]; words: string | null; score: number }

const wordsIn = ({ words, memory }: Match) => words ?? indexedWords(memory.content)

/** Of a text, how many of the words it has if it has all phrases; as the index would find it. */
function matching({ reading }: Asked): (content: string) => number {
  const { terms, phrases } = toWordQuery(reading)
  return content => {
    const words = ` ${indexedWords(content)} `
    const has = (forms: readonly string[]) => forms.some(form => words.includes(` ${form} `))
    return phrases.every(has) ? terms.filter(has).length : 0
  }
}
