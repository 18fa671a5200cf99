import type { Question } from './questions.ts'
import { patiently, type Tenant } from './world.ts'

export type Separation = {
  readonly answerable: number
  readonly unanswerable: number
  /** How often the best hit of an answerable question is more relevant than that of an unanswerable one. */
  readonly auc: number
  /** The share of unanswerable questions without a context. */
  readonly empty: number
  /** The share of answers that a hybrid search finds and the context leaves out. */
  readonly lost: number
  /** The share of them that a hybrid search leaves out by default. */
  readonly hidden: number
}

type Asked = {
  answerable: boolean
  best: number
  found: boolean
  kept: boolean
  empty: boolean
  shown: boolean
}

/** Asks all questions, with and without the default minimum of the context. */
export async function separate({ client, ids }: Tenant, questions: readonly Question[]): Promise<Separation> {
  const asked: Asked[] = []
  for (const { text, answer } of questions) {
    const search = await patiently(() =>
      client.searchMemories({ query: text, search_type: 'hybrid', limit: 20, min_relevance: 0 }),
    )
    const byDefault = await patiently(() =>
      client.searchMemories({ query: text, search_type: 'hybrid', limit: 20 }),
    )
    const { sources } = await patiently(() => client.composeContext({ query: text, max_tokens: 32_000 }))
    const best = Math.max(0, ...search.results.map(({ relevance }) => relevance))
    const id = answer === undefined ? undefined : ids[answer]
    const found = search.results.some(({ memory }) => memory.id === id)
    const shown = byDefault.results.some(({ memory }) => memory.id === id)
    const kept = sources.some(({ memory_id }) => memory_id === id)
    asked.push({ answerable: answer !== undefined, best, found, kept, shown, empty: sources.length === 0 })
  }
  const [positive, negative] = [true, false].map(kind =>
    asked.filter(({ answerable }) => answerable === kind),
  ) as [Asked[], Asked[]]
  const findable = positive.filter(({ found }) => found)
  return {
    answerable: positive.length,
    unanswerable: negative.length,
    auc: meanOver(positive, one => meanOver(negative, other => won(one.best, other.best))),
    empty: meanOver(negative, ({ empty }) => Number(empty)),
    lost: meanOver(findable, ({ kept }) => Number(!kept)),
    hidden: meanOver(findable, ({ shown }) => Number(!shown)),
  }
}

const won = (one: number, other: number) => (one > other ? 1 : one === other ? 0.5 : 0)

const meanOver = <Item>(items: readonly Item[], value: (item: Item) => number) =>
  items.reduce((sum, item) => sum + value(item), 0) / items.length
