import { createBatcher, type Job } from '../platform/batcher.ts'
import { failedForAll, unavailable } from './neo4j.ts'

type Group<Row, Answer> = {
  /** The answers in the order of the rows, all in one transaction. */
  commit: (rows: readonly Row[]) => Promise<Answer[]>
  sizeOf: (row: Row) => number
}

/** Commits under way at once; measured: a third adds nothing, one alone leaves the database idle between two. */
const LANES = 2
const MOST_ROWS = 128
/** Far from what a transaction may take, with the vectors and the entries of the indexes beside the rows. */
const MOST_BYTES = 4 * 1024 * 1024

/**
 * Lets writers share commits: a lone one is committed at once, whoever comes while commits are under way goes into the
 * next. Each gets an answer of its own: a row that cannot be written fails alone, and one whose caller gives up is
 * committed with the others or not at all. What a group writes must be idempotent by key.
 * @throws ServiceError `database_unavailable`
 */
export function createGroup<Row, Answer>({ commit, sizeOf }: Group<Row, Answer>) {
  const limits = { lanes: LANES, most: () => MOST_ROWS, bytes: MOST_BYTES, sizeOf }
  const batch = createBatcher<Row, Answer>(limits, jobs => settle(commit, jobs))
  return async (row: Row, signal: AbortSignal): Promise<Answer> => {
    const [answer] = await batch([row], signal).catch(error => {
      throw signal.aborted ? unavailable(signal.reason) : error
    })
    return answer as Answer
  }
}

/** A group that failed for what may be one of its rows is divided, until that row stands alone. */
async function settle<Row, Answer>(
  commit: Group<Row, Answer>['commit'],
  jobs: readonly Job<Row, Answer>[],
): Promise<void> {
  try {
    const answers = await commit(jobs.map(({ item }) => item))
    for (const [at, { resolve }] of jobs.entries()) resolve(answers[at] as Answer)
  } catch (error) {
    if (jobs.length === 1 || failedForAll(error)) for (const { reject } of jobs) reject(error)
    else for (const half of halves(jobs)) await settle(commit, half)
  }
}

const halves = <Item>(items: readonly Item[]) => [
  items.slice(0, items.length >> 1),
  items.slice(items.length >> 1),
]
