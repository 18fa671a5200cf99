import type { Space } from '../../context.ts'
import { createBatcher, type Job } from '../../platform/batcher.ts'
import { failedForAll, unavailable } from './failures.ts'
import { type Caller, type Neo4j, TRANSACTION_MS } from './statements.ts'

/** One statement at a time for each database: what shares a lane takes turns. */
type Lane = WeakMap<Neo4j, Promise<void>>

export const createLane = (): Lane => new WeakMap()

type Group<Row, Answer> = {
  lane: Lane
  /** The most rows, and the most that their sizes may sum up to. */
  rows: number
  size: number
  sizeOf: (row: Row) => number
  /** The answers in the order of the rows, all in one transaction. */
  commit: (caller: Caller, space: Space, rows: readonly Row[]) => Promise<Answer[]>
}

type Asking = Caller & { readonly space: Space }
type Enter<Row, Answer> = (row: Row, asking: Asking) => Promise<Answer>

/**
 * The time of a shared statement: its callers may have less, and then leave it. More than the database gives it, which
 * has the first word: what took too long there is a fault of the rows, no answer at all is an outage.
 */
const COMMIT_MS = TRANSACTION_MS + 10_000

/**
 * Lets callers share statements, those of one database and one space: a lone one is sent as soon as the lane is free,
 * whoever comes before it is answered goes into the next. Each gets an answer of its own: a row that cannot be written
 * fails alone, and one whose caller gives up is committed with the others or not at all. What is written must be
 * idempotent by key.
 * @throws ServiceError `database_unavailable`
 */
export function shared<Row, Answer>(group: Group<Row, Answer>) {
  const groups = new WeakMap<Neo4j, Map<string, Enter<Row, Answer>>>()
  return async (asking: Asking, row: Row): Promise<Answer> => {
    const { neo4j } = asking.app
    const bySpace = groups.get(neo4j) ?? new Map<string, Enter<Row, Answer>>()
    groups.set(neo4j, bySpace)
    const enter = bySpace.get(asking.space.id) ?? open(group, neo4j, asking.space)
    bySpace.set(asking.space.id, enter)
    return enter(row, asking)
  }
}

function open<Row, Answer>(group: Group<Row, Answer>, neo4j: Neo4j, space: Space): Enter<Row, Answer> {
  const { lane, rows, size, sizeOf } = group
  const commit = (some: readonly Row[]) =>
    inTurn(lane, neo4j, () =>
      group.commit({ app: { neo4j }, signal: AbortSignal.timeout(COMMIT_MS) }, space, some),
    )
  const limits = { lanes: 1, most: () => rows, bytes: size, sizeOf }
  const batch = createBatcher<Row, Answer>(limits, jobs => settle(commit, jobs))
  return async (row, { signal, share }) => {
    const [answer] = await batch([row], { signal, share }).catch(error => {
      throw signal.aborted ? unavailable(signal.reason) : error
    })
    return answer as Answer
  }
}

function inTurn<T>(lane: Lane, neo4j: Neo4j, work: () => Promise<T>): Promise<T> {
  const done = (lane.get(neo4j) ?? Promise.resolve()).then(work)
  // The lane keeps no answer, which may be large.
  const over = () => {}
  lane.set(neo4j, done.then(over, over))
  return done
}

/** A group that failed for what may be one of its rows is divided, until that row stands alone. */
async function settle<Row, Answer>(
  commit: (rows: readonly Row[]) => Promise<Answer[]>,
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
