import { readFileSync } from 'node:fs'
import { patiently, type Tenant } from './world.ts'

const linesOf = (name: string) =>
  readFileSync(new URL(`./relevance/${name}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')

/** A question and the place of the memory that answers it; undefined if none does. */
type Question = { readonly text: string; readonly answer: number | undefined }
export type Half = 'tuning' | 'held-out'

/** Memories of a household and of a team, with questions that one of them answers and questions that none does. */
export function relevanceSet() {
  const rows = linesOf('memories.tsv').map(line => line.split('\t') as [string, string?])
  const answerable = rows.flatMap(([, text], answer) => (text ? [{ text, answer }] : []))
  const unanswerable = linesOf('unanswerable.txt').map(text => ({ text, answer: undefined }))
  const halfOf = (rest: number): Question[] =>
    [answerable, unanswerable].flatMap((each: readonly Question[]) => each.filter((_, at) => at % 2 === rest))
  return {
    name: 'relevance',
    about: 'Short memories; most answers share no word with their question.',
    memories: rows.map(([memory]) => memory),
    queries: {},
    questions: { tuning: halfOf(0), 'held-out': halfOf(1) } satisfies Record<Half, Question[]>,
  }
}

export type Separation = {
  readonly answerable: number
  readonly unanswerable: number
  /** How often the best hit of an answerable question is more relevant than that of an unanswerable one. */
  readonly auc: number
  /** The share of unanswerable questions without a context. */
  readonly empty: number
  /** The share of answers that a hybrid search finds and the context leaves out. */
  readonly lost: number
}

type Asked = { answerable: boolean; best: number; found: boolean; kept: boolean; empty: boolean }

/** Asks all questions, with and without the default minimum of the context. */
export async function separate({ client, ids }: Tenant, questions: readonly Question[]): Promise<Separation> {
  const asked: Asked[] = []
  for (const { text, answer } of questions) {
    const search = await patiently(() =>
      client.searchMemories({ query: text, search_type: 'hybrid', limit: 20 }),
    )
    const { sources } = await patiently(() => client.composeContext({ query: text, max_tokens: 32_000 }))
    const best = Math.max(0, ...search.results.map(({ relevance }) => relevance))
    const id = answer === undefined ? undefined : ids[answer]
    const found = search.results.some(({ memory }) => memory.id === id)
    const kept = sources.some(({ memory_id }) => memory_id === id)
    asked.push({ answerable: answer !== undefined, best, found, kept, empty: sources.length === 0 })
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
  }
}

const won = (one: number, other: number) => (one > other ? 1 : one === other ? 0.5 : 0)

const meanOver = <Item>(items: readonly Item[], value: (item: Item) => number) =>
  items.reduce((sum, item) => sum + value(item), 0) / items.length
