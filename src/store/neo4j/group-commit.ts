import type { GroupCommit, GroupCommits, GroupCommitter, Space } from '../../context.ts'
import { type BatchCall, createBatcher } from '../../platform/batcher.ts'
import { failedForAll, toDatabaseUnavailable } from './failures.ts'
import { type Neo4j, TRANSACTION_MS } from './statements.ts'

/**
 * The time of a shared statement: its callers may have less, and then leave it. More than the database gives it, which
 * has the first word: what took too long there is a fault of the rows, no answer at all is an outage.
 */
const COMMIT_MS = TRANSACTION_MS + 10_000

type Enter<Row, Answer> = (row: Row, committer: GroupCommitter) => Promise<Answer>

/** The group commits of one database. */
export function createGroupCommits(neo4j: Neo4j): GroupCommits {
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
    const commit = (some: readonly Row[]) =>
      queued(queue, () =>
        group.commit({ app: { neo4j }, signal: AbortSignal.timeout(COMMIT_MS) }, space, some),
      )
    const limits = { concurrency: 1, most: () => rows, bytes: size, sizeOf }
    const batch = createBatcher<Row, Answer>(limits, jobs => settle(commit, jobs))
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
async function settle<Row, Answer>(
  commit: (rows: readonly Row[]) => Promise<Answer[]>,
  jobs: readonly BatchCall<Row, Answer>[],
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
