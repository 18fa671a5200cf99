import type { TenantProfile } from '../../context.ts'
import { queryWords } from '../../platform/text/words.ts'
import { rarityOf } from './coverage.ts'
import type { Found, Search } from './hits.ts'

/** A longer text is a prompt or a document: one vector of all of it is near to nothing. */
const LONGEST_QUESTION = 1_000
const LONGEST_PART = 600
const TELLING_WORDS = 24

/** The parts of a long query that are searched for, each on its own. None if the query is searched as a whole. */
export const partsToSearch = ({ query, by_parts }: Search, profile: TenantProfile): string[] =>
  by_parts && query.length > LONGEST_QUESTION ? partsOf(query, profile) : []

/** The results of all parts, each memory once: its score is its highest relevance to any part. */
export function bestOfParts(found: readonly Found[]): Found[] {
  const sorted = found.toSorted((a, b) => b.relevance - a.relevance)
  const best = new Map(sorted.toReversed().map(result => [result.memory.id, result]))
  return [...best.values()]
    .toReversed()
    .map(result => ({
      ...result,
      score: result.relevance,
      explain: result.explain && { ...result.explain, formula: 'score = relevance' },
    }))
    .sort((a, b) => b.score - a.score)
}

/**
 * What a long text most likely asks: its first and its last sentence, what stands at its beginning and at its end, and
 * the words of all of it that tell most in this tenant.
 */
function partsOf(text: string, profile: TenantProfile): string[] {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  const sentences = flat.slice(0, LONGEST_PART).match(/^.+?[.?!。？！](?=\s|$|[^\s.?!])/u)
  const last = /[^.?!。？！]+[.?!。？！]*\s*$/u.exec(flat.slice(-LONGEST_PART))
  const parts = [
    sentences?.[0],
    last?.[0],
    wellFormed(flat.slice(0, LONGEST_PART)),
    wellFormed(flat.slice(-LONGEST_PART)),
    tellingWords(text, profile),
  ]
  return [...new Set(parts.flatMap(part => (part && /[\p{L}\p{N}]/u.test(part) ? [part.trim()] : [])))]
}

const tellingWords = (text: string, { rarity, words }: TenantProfile): string =>
  queryWords(text)
    .filter(({ exact, forms }) => exact.length > 3 && !forms.some(form => words.has(form)))
    .map(word => ({ exact: word.exact, weight: rarityOf(word, rarity) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, TELLING_WORDS)
    .map(({ exact }) => exact)
    .join(' ')
    .slice(0, LONGEST_QUESTION)

const wellFormed = (text: string) => text.toWellFormed().replaceAll('\ufffd', '')
