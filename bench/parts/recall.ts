import { askOf } from '../contestants/service.ts'
import { type Corpus, cosine, createCorpus, idOf, tenantAt, tenants, vectorOf } from '../corpus.ts'
import { load } from '../graph.ts'
import type { Findings } from '../report.ts'
import type { World } from '../world.ts'

const QUERIES = 40
const NEAREST = 10
/** A cosine is known to about this much: what is as near as the tenth is a right answer. */
const TOLERANCE = 1e-6
const CROWDED_TOPICS = 20

type Tenant = keyof typeof tenants

/** recall@10 of semantic searches against an exact scan, for each tenant, without a filter and with a tag that keeps 5 %. */
export async function measureRecall(world: World): Promise<Findings> {
  const crowded = createCorpus('crowded', world.corpus.size, CROWDED_TOPICS)
  await load(world.driver, crowded)
  const figures: Record<string, string> = {}
  for (const corpus of [world.corpus, crowded])
    for (const tenant of Object.keys(tenants) as Tenant[]) {
      const vectors = vectorsOf(corpus, tenant)
      for (const tag of [undefined, 'tag7']) {
        const recall = await recallOf(world, corpus, vectors, tenant, tag)
        const name = `${corpus.topics} topics, tenant with ${tenants[tenant]} %${tag ? ', tag filter that keeps 5 %' : ''}`
        figures[name] = recall.toFixed(4)
        world.say(`recall@${NEAREST}, ${name}: ${recall.toFixed(4)}`)
      }
    }
  return { figures }
}

type Owned = { id: string; tags: string[]; vector: Float32Array }

const vectorsOf = (corpus: Corpus, tenant: Tenant): Owned[] =>
  Array.from({ length: corpus.size }, (_, at) => at)
    .filter(at => tenantAt(at) === tenant)
    .map(at => {
      const { content, tags } = corpus.memory(at)
      return { id: idOf(corpus.name, at), tags, vector: vectorOf(content) }
    })

async function recallOf(
  { service }: World,
  corpus: Corpus,
  owned: readonly Owned[],
  tenant: Tenant,
  tag: string | undefined,
): Promise<number> {
  const ask = askOf(service.url)
  const fitting = tag === undefined ? owned : owned.filter(({ tags }) => tags.includes(tag))
  let right = 0
  let wanted = 0
  for (let at = 0; at < QUERIES; at++) {
    const query = corpus.query(at)
    const vector = vectorOf(query)
    const cosines = new Map(fitting.map(each => [each.id, cosine(each.vector, vector)]))
    const nearest = [...cosines.values()].sort((a, b) => b - a).slice(0, NEAREST)
    const bar = (nearest.at(-1) ?? 1) - TOLERANCE
    const body = { query, search_type: 'semantic', limit: NEAREST, ...(tag ? { tags: [tag] } : {}) }
    const { results } = (await ask(`${corpus.name}-${tenant}`, 'POST', '/memories/search', body)) as {
      results: { memory: { id: string } }[]
    }
    right += results.filter(({ memory }) => (cosines.get(memory.id) ?? -1) >= bar).length
    wanted += nearest.length
  }
  return right / wanted
}
