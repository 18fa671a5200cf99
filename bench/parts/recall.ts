import { setTimeout as pause } from 'node:timers/promises'
import { askOf } from '../contestants/service.ts'
import { type Corpus, cosine, createCorpus, idOf, tenantAt, tenants, vectorOf } from '../corpus.ts'
import { load } from '../graph.ts'
import type { Running } from '../processes.ts'
import type { Findings } from '../report.ts'
import type { World } from '../world.ts'

const QUERIES = 40
const NEAREST = 10
/** Searches compare cosines to five digits: what is as near as the tenth is a right answer. */
const TOLERANCE = 1e-5
const RESPITE_MS = 20
const CROWDED_TOPICS = 20

export type Tenant = keyof typeof tenants

/** recall@10 of semantic searches against an exact scan, for each tenant, without a filter and with a tag that keeps 5 %. */
export async function measureRecall(world: World): Promise<Findings> {
  const crowded = createCorpus('crowded', world.corpus.size, CROWDED_TOPICS)
  const repeating = withRepeats(createCorpus('repeating', world.corpus.size, world.corpus.topics))
  for (const corpus of [crowded, repeating]) await load(world.driver, corpus)
  const figures: Record<string, string> = {}
  for (const [corpus, kind] of [
    [world.corpus, `${world.corpus.topics} topics`],
    [crowded, `${crowded.topics} topics`],
    [repeating, 'every seventh memory says the same'],
  ] as const)
    for (const tenant of Object.keys(tenants) as Tenant[]) {
      const owned = ownedBy(corpus, tenant)
      for (const tag of [undefined, 'tag7']) {
        const recall = await recallOf(world.service, corpus, owned, { tenant, tag })
        const name = `${kind}, tenant with ${tenants[tenant]} %${tag ? ', tag filter that keeps 5 %' : ''}`
        figures[name] = recall.toFixed(4)
        world.say(`recall@${NEAREST}, ${name}: ${recall.toFixed(4)}`)
      }
    }
  return { figures }
}

const EVERY = 7

/** A corpus of which every seventh memory has one text: of equal vectors the index would make islands. */
const withRepeats = (corpus: Corpus): Corpus => ({
  ...corpus,
  memory: at => ({
    ...corpus.memory(at),
    ...(at % EVERY === 0 ? { content: 'topic0 story0 all is well' } : {}),
  }),
})

type Answer = {
  results: { memory: { id: string } }[]
  query: { semantic: { texts: string[] } }
}

/** A search compares memories with the mean of what it has embedded: the query, and the query without words that many memories have. */
function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const sum = Float32Array.from(vectors[0] as Float32Array, (_, at) =>
    vectors.reduce((all, vector) => all + (vector[at] as number), 0),
  )
  const length = Math.hypot(...sum)
  return sum.map(value => value / length)
}

type Owned = { id: string; tags: string[]; vector: Float32Array }

export const ownedBy = (corpus: Corpus, tenant: Tenant): Owned[] =>
  Array.from({ length: corpus.size }, (_, at) => at)
    .filter(at => tenantAt(at) === tenant)
    .map(at => {
      const { content, tags } = corpus.memory(at)
      return { id: idOf(corpus.name, at), tags, vector: vectorOf(content) }
    })

/** The share of the `NEAREST` nearest to what a search compares with that it finds. */
export async function recallOf(
  service: Running,
  corpus: Corpus,
  owned: readonly Owned[],
  { tenant, tag }: { tenant: Tenant; tag?: string | undefined },
): Promise<number> {
  const ask = askOf(service.url)
  const fitting = tag === undefined ? owned : owned.filter(({ tags }) => tags.includes(tag))
  const places = new Map(fitting.map(({ id }, place) => [id, place]))
  let right = 0
  let wanted = 0
  for (let at = 0; at < QUERIES; at++) {
    // What was computed held this process up: only now it hears which connections were closed in the meantime.
    await pause(RESPITE_MS)
    const body = {
      ...{ query: corpus.query(at), search_type: 'semantic', limit: NEAREST, explain: true },
      ...(tag ? { tags: [tag] } : {}),
    }
    const { results, query } = (await ask(
      `${corpus.name}-${tenant}`,
      'POST',
      '/memories/search',
      body,
    )) as Answer
    const vector = meanOf(query.semantic.texts.map(vectorOf))
    const cosines = Float64Array.from(fitting, each => cosine(each.vector, vector))
    const nearest = cosines.toSorted().slice(-NEAREST)
    const bar = (nearest[0] ?? 1) - TOLERANCE
    right += results.filter(({ memory }) => (cosines[places.get(memory.id) ?? -1] ?? -1) >= bar).length
    wanted += nearest.length
  }
  return right / wanted
}
