import type { Client } from '../../src/client.ts'
import type { Query } from './sets.ts'
import { patiently, type Tenant } from './world.ts'

/** What is compared, in the order of the tables. */
export const contestants = {
  semantic: '`semantic`',
  plainAnalyzer: 'every word, default analyzer',
  everyWord: 'every word, index of the service',
  keyword: '`keyword`',
  plain: 'plain fusion',
  hybrid: '`hybrid`',
} as const

/** From the plain fusion to ours; each keeps what the one before changed. */
export const steps = {
  plain: 'plain fusion: reciprocal ranks, k = 60, equal weights, every word',
  telling: 'without stop words',
  close: 'k = 2',
  hybrid: 'by words as much as they cover of the question: `hybrid`',
} as const

export type Contestant = keyof typeof contestants | keyof typeof steps
/** For each contestant the rank of the one answer to each query; undefined where it was not found. */
export type Ranks = Record<Contestant, (number | undefined)[]>

/** So many hits each list has of which the bench fuses some, as many as a hybrid search of 20 does. */
const POOL = 40
const LIMIT = 20

/** Asks all queries of all contestants, one after the other. */
export async function askAll(tenant: Tenant, queries: readonly Query[]): Promise<Ranks> {
  const ranks: Ranks = {
    ...{ semantic: [], plainAnalyzer: [], everyWord: [], keyword: [], plain: [], hybrid: [] },
    ...{ telling: [], close: [] },
  }
  for (const { text, answer } of queries) {
    const lists = await ask(tenant, text)
    for (const [name, list] of Object.entries(lists)) {
      const at = list.slice(0, LIMIT).indexOf(tenant.ids[answer] as string)
      ranks[name as Contestant].push(at < 0 ? undefined : at + 1)
    }
  }
  return ranks
}

async function ask(
  { client, everyWord: search }: Tenant,
  text: string,
): Promise<Record<Contestant, string[]>> {
  const [semantic, keyword, hybrid, everyWord, plainAnalyzer] = await Promise.all([
    asked(client, text, 'semantic', POOL),
    asked(client, text, 'keyword', POOL),
    asked(client, text, 'hybrid', LIMIT),
    search('memory_text', text, POOL),
    search('quality_plain', text, POOL),
  ])
  return {
    ...{ semantic, plainAnalyzer, everyWord, keyword, hybrid },
    plain: fused(semantic, everyWord, { k: 60, semantic: 0.5, keyword: 0.5 }),
    telling: fused(semantic, keyword, { k: 60, semantic: 0.5, keyword: 0.5 }),
    close: fused(semantic, keyword, { k: 2, semantic: 0.5, keyword: 0.5 }),
  }
}

async function asked(
  client: Client,
  text: string,
  search_type: 'semantic' | 'keyword' | 'hybrid',
  limit: number,
): Promise<string[]> {
  const { results, degraded } = await patiently(() =>
    client.searchMemories({ query: text, search_type, limit, min_relevance: 0 }),
  )
  if (degraded) throw new Error(`The search for “${text}” ran without vectors`)
  return results.map(({ memory }) => memory.id)
}

type Weights = { k: number; semantic: number; keyword: number }

/** Reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009), best first. */
function fused(
  semantic: readonly string[],
  keyword: readonly string[],
  { k, ...weights }: Weights,
): string[] {
  const scores = new Map<string, number>()
  const add = (list: readonly string[], weight: number) => {
    for (const [at, id] of list.entries()) scores.set(id, (scores.get(id) ?? 0) + weight / (k + at + 1))
  }
  add(semantic, weights.semantic)
  add(keyword, weights.keyword)
  return [...scores].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([id]) => id)
}
