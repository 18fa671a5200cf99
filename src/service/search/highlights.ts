import type { SearchResult } from '../../contract/search.ts'
import { type QueryWord, tokensOf } from '../../platform/text/words.ts'
import { isIn, membership } from './coverage.ts'

/** So much of a content is looked through: other requests wait in the meantime. */
const READ_CHARACTERS = 20_000
const LONGEST = 300

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })

/** The sentence of a content that shares most words with a query, the first of them; without any the first sentence. */
export function highlightOf(
  content: string,
  words: readonly QueryWord[],
): NonNullable<SearchResult['highlight']> {
  let best = { start: 0, text: '', shared: -1 }
  for (const { segment, index } of sentences.segment(content.slice(0, READ_CHARACTERS))) {
    const text = segment.trim()
    if (text === '') continue
    const has = membership(tokensOf(text))
    const shared = words.filter(word => isIn(word, has)).length
    if (shared > best.shared) best = { start: index + segment.indexOf(text), text, shared }
  }
  const text = best.text.slice(0, LONGEST).toWellFormed()
  return { text, start: best.start, end: best.start + text.length }
}
