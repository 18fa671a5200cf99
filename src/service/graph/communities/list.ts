import type { TenantProfile } from '../../../context.ts'
import type { Output } from '../../../contract/index.ts'
import { stopWordsIn } from '../../../platform/text/stop-words.ts'
import { queryWords } from '../../../platform/text/words.ts'
import { timeSlices } from '../../../platform/time-slices.ts'
import { findCommunities } from '../../../store/graph/communities.ts'
import type { Handler } from '../../handler.ts'

/** A community is named by so many of its most central memories, and of each by its beginning. */
const NAMED_BY = { members: 20, characters: 1_000 }
const CENTRAL = 3
const TITLE = 80
const WORDS = 8
const WORDS_OF_NAME = 3

/** Names are made of what the memories say now: nothing is kept of one that was changed or erased. */
export const listCommunities: Handler<'listCommunities'> = async (ctx, { limit }) => {
  const found = await findCommunities(ctx, limit, NAMED_BY)
  if (!found) return { communities: [], total: 0, computed_at: null }
  const profile = await ctx.app.tenantProfiles.get(ctx)
  const nextSlice = timeSlices()
  const communities: Output<'listCommunities'>['communities'] = []
  for (const { id, members, memories } of found.communities) {
    await nextSlice()
    const words = tellingWords(
      members.map(({ content }) => content),
      profile,
    )
    const central = members.slice(0, CENTRAL).map(({ id: memory_id, content, rank, degree }) => ({
      memory_id,
      title: titleOf(content),
      rank,
      degree,
    }))
    const name = words.slice(0, WORDS_OF_NAME).join(', ') || (central[0]?.title ?? id)
    communities.push({ id, name, words, memories, central })
  }
  return { communities, total: found.total, computed_at: found.computed_at }
}

const titleOf = (content: string) =>
  Array.from(content.trim().split('\n')[0] ?? '')
    .slice(0, TITLE)
    .join('')

type Word = { texts: number; exact: Map<string, number> }

/** The words that stand in many of the texts and in few of the tenant's other memories, as they are written most often. */
function tellingWords(texts: readonly string[], { rarity }: Pick<TenantProfile, 'rarity'>): string[] {
  const words = new Map<string, Word>()
  for (const text of texts)
    for (const [stem, exact] of wordsOf(text)) {
      const word = words.get(stem) ?? { texts: 0, exact: new Map() }
      word.texts++
      word.exact.set(exact, (word.exact.get(exact) ?? 0) + 1)
      words.set(stem, word)
    }
  return [...words]
    .map(([stem, { texts: count, exact }]) => ({ score: count * rarity(stem), word: mostFrequent(exact) }))
    .sort((a, b) => b.score - a.score || (a.word < b.word ? -1 : 1))
    .slice(0, WORDS)
    .map(({ word }) => word)
}

/** Each word of a text once, by its stem. Numbers and single letters tell nothing. */
function wordsOf(text: string): Map<string, string> {
  const all = queryWords(text)
  const isStopWord = stopWordsIn(all.map(({ exact }) => exact))
  return new Map(
    all
      .filter(({ exact }) => /\p{L}{2}/u.test(exact) && !isStopWord(exact))
      .map(({ exact, forms }) => [forms[0] ?? exact, exact]),
  )
}

const mostFrequent = (exact: ReadonlyMap<string, number>): string =>
  [...exact].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))[0]?.[0] ?? ''
