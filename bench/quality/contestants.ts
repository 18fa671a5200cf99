import type { Client } from '../../src/client.ts'
import { fuse } from '../../src/service/search/fusion.ts'
import type { Ranked } from '../../src/service/search/hits.ts'
import type { Query } from './sets.ts'
import { patiently, type Tenant } from './world.ts'

/** What is compared, in the order of the tables. */
export const contestants = {
  semantic: '`semantic`',
  plainAnalyzer: 'every word, default analyzer',
  everyWord: 'every word, `english` analyzer',
  keyword: '`keyword`',
  plain: 'plain fusion',
  hybrid: '`hybrid`',
} as const

/** From the plain fusion to ours; except for the third, each keeps what the one before changed. */
export const steps = {
  plain: 'plain fusion: reciprocal ranks, k = 60, weights alike, every word',
  telling: 'without the words that only hold a sentence together',
  close: 'instead of the next three: k = 1, weights .4 and .6',
  standing: 'fused by how far a hit stands out',
  usual: 'with cosines measured from the typical one',
  hybrid: 'with the mean of two vectors: `hybrid`',
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
    ...{ telling: [], close: [], standing: [], usual: [] },
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
  const [near, worded, both, everyWord, plainAnalyzer] = await Promise.all([
    asked(client, text, 'semantic', POOL),
    asked(client, text, 'keyword', POOL),
    asked(client, text, 'hybrid', LIMIT),
    search('memory_text', text, POOL),
    search('quality_plain', text, POOL),
  ])
  const [semantic, keyword, hybrid] = [ids(near.hits), ids(worded.hits), ids(both.hits)]
  const halves = { semantic: near.hits, keyword: worded.hits }
  return {
    ...{ semantic, plainAnalyzer, everyWord, keyword, hybrid },
    plain: fused(semantic, everyWord, { k: 60, semantic: 0.5, keyword: 0.5 }),
    telling: fused(semantic, keyword, { k: 60, semantic: 0.5, keyword: 0.5 }),
    close: fused(semantic, keyword, { k: 1, semantic: 0.4, keyword: 0.6 }),
    standing: ids(fuse({ ...halves, typicalCosine: 0 })),
    usual: ids(fuse({ ...halves, typicalCosine: both.usual })),
  }
}

const ids = (hits: readonly { id: string }[]) => hits.map(({ id }) => id)

async function asked(
  client: Client,
  text: string,
  search_type: 'semantic' | 'keyword' | 'hybrid',
  limit: number,
): Promise<{ hits: Ranked[]; usual: number | null }> {
  const { results, query, degraded } = await patiently(() =>
    client.searchMemories({ query: text, search_type, limit, explain: true }),
  )
  if (degraded) throw new Error(`A search for “${text}” had to do without vectors`)
  const hits = results.map(({ memory, score, explain }, at) => ({
    id: memory.id,
    rank: at + 1,
    raw: explain?.semantic?.cosine ?? explain?.keyword?.relevance ?? 0,
    relative: score,
  }))
  return { hits, usual: query?.semantic?.usual_cosine ?? null }
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
