import { readFileSync } from 'node:fs'

const linesOf = (name: string) =>
  readFileSync(new URL(`./relevance/${name}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')

/** A question and the place of the memory that answers it; undefined if none does. */
export type Question = { readonly text: string; readonly answer: number | undefined }
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
