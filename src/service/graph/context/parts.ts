import type { Context, TenantProfile } from '../../../context.ts'
import type { Output } from '../../../contract/index.ts'
import type { Search } from '../../search/hits.ts'
import { findMemories } from '../../search/search.ts'
import { analyse, wordsOf } from '../../search/words.ts'

/** A longer text is a prompt or a document: one vector of all of it is near to nothing. */
const LONGEST_QUESTION = 1_000
const LONGEST_PART = 600
const TELLING_WORDS = 24

type Answer = Pick<Output<'searchMemories'>, 'results' | 'truncated' | 'degraded'> & { parts: string[] }

/** Searches for a question, or for each part of a long one: the memories with the highest relevance to any part. */
export async function findByParts(ctx: Context, search: Search): Promise<Answer> {
  if (search.query.length <= LONGEST_QUESTION) return { ...(await findMemories(ctx, search)), parts: [] }
  const parts = partsOf(search.query, await ctx.app.tenantProfiles.get(ctx))
  const answers = await Promise.all(parts.map(query => findMemories(ctx, { ...search, query })))
  const results = answers.flatMap(each => each.results).sort((a, b) => b.relevance - a.relevance)
  const best = new Map(results.toReversed().map(result => [result.memory.id, result]))
  return {
    results: [...best.values()].toReversed().slice(0, search.limit),
    truncated: answers.some(({ truncated }) => truncated),
    degraded: answers.some(({ degraded }) => degraded),
    parts,
  }
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

function tellingWords(text: string, { rarity, words }: TenantProfile): string {
  const all = [...new Set(wordsOf(text))].filter(word => word.length > 3 && !words.has(word))
  const weighed = all.flatMap(word => {
    const [stem] = analyse(word)
    return stem === undefined ? [] : [{ word, weight: rarity(stem) }]
  })
  return weighed
    .sort((a, b) => b.weight - a.weight)
    .slice(0, TELLING_WORDS)
    .map(({ word }) => word)
    .join(' ')
    .slice(0, LONGEST_QUESTION)
}

const wellFormed = (text: string) => text.toWellFormed().replaceAll('\ufffd', '')
