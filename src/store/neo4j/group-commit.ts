import type { GroupCommit, GroupCommits, GroupCommitter, Space } from '../../context.ts'
import { type BatchCall, createBatcher } from '../../platform/batcher.ts'
import { type Neo4j, TRANSACTION_MS } from './attempts.ts'
import { failedForAll, toDatabaseUnavailable } from './failures.ts'

/**
 * A shared statement is waited for longer than the database works on it, which has the first word: what took too long
 * there is a fault of the rows, no answer at all is an outage.
 */
const SILENT_MS = 5_000

/** One row alone meets what another transaction has just made or removed; a group is divided at once. */
const RACE_TRIES = 5

/** The more rows a commit has, the less each of them costs: a second one starts only beside one that is slow. */
const PASSING = { afterMs: 250, most: 4 }

type Enter<Row, Answer> = (row: Row, committer: GroupCommitter) => Promise<Answer>

/** The group commits of one database. No request waits longer than `requestMs`: nor does the commit of its rows. */
export function createGroupCommits(neo4j: Neo4j, requestMs = 15_000): GroupCommits {
  const queues = new Map<string, Promise<void>>()
  const batches = new Map<object, Map<string, unknown>>()

  /** Runs after all that came before into a queue. */
  function queued<T>(queue: string, run: () => Promise<T>): Promise<T> {
    const done = (queues.get(queue) ?? Promise.resolve()).then(run)
    // The queue keeps no answer, which may be large.
    const over = () => {}
    queues.set(queue, done.then(over, over))
    return done
  }

  function open<Row, Answer>(group: GroupCommit<Row, Answer>, space: Space): Enter<Row, Answer> {
    const { queue, rows, size, sizeOf } = group
    const transactionMs = queue === undefined ? Math.min(requestMs, TRANSACTION_MS) : TRANSACTION_MS
    const commit = (some: readonly Row[]) => {
      const run = () => {
        const signal = AbortSignal.timeout(transactionMs + SILENT_MS)
        const raceTries = some.length > 1 ? 1 : RACE_TRIES
        return group.commit({ app: { neo4j }, signal, transactionMs, raceTries }, space, some)
      }
      return queue === undefined ? run() : queued(queue, run)
    }
    const limits = {
      concurrency: 1,
      most: () => rows,
      bytes: size,
      sizeOf,
      ...(queue === undefined && { passing: PASSING }),
    }
    const batch = createBatcher<Row, Answer>(limits, jobs => commitDivided(commit, jobs))
    return async (row, { signal, share }) => {
      const [answer] = await batch([row], { signal, share }).catch(error => {
        throw signal.aborted ? toDatabaseUnavailable(signal.reason) : error
      })
      return answer as Answer
    }
  }

  return {
    async commit<Row, Answer>(group: GroupCommit<Row, Answer>, committer: GroupCommitter, row: Row) {
      const { space } = committer
      const bySpace = batches.get(group) ?? new Map<string, unknown>()
      batches.set(group, bySpace)
      const enter = (bySpace.get(space.id) as Enter<Row, Answer> | undefined) ?? open(group, space)
      bySpace.set(space.id, enter)
      return enter(row, committer)
    },
  }
}

/** A group that failed for what may be one of its rows is divided, until that row stands alone. */
async function commitDivided<Row, Answer>(
  commit: (rows: readonly Row[]) => Promise<Answer[]>,
  jobs: readonly BatchCall<Row, Answer>[],
): Promise<void> {
  if (jobs.length === 0) return
  try {
    const answers = await commit(jobs.map(({ item }) => item))
    for (const [at, { resolve }] of jobs.entries()) resolve(answers[at] as Answer)
  } catch (error) {
    if (jobs.length === 1 || failedForAll(error)) for (const { reject } of jobs) reject(error)
    else await Promise.all(halves(jobs.filter(job => !job.isGone())).map(half => commitDivided(commit, half)))
  }
}

const halves = <Item>(items: readonly Item[]) => [
  items.slice(0, items.length >> 1),
  items.slice(items.length >> 1),
]
