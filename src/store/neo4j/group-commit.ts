import type { App, GroupCommit, GroupCommits, GroupCommitter, Space } from '../../context.ts'
import { type BatchCall, createBatcher } from '../../platform/batcher.ts'
import { TRANSACTION_MS } from './attempts.ts'
import { failedForAll, toDatabaseUnavailable } from './failures.ts'

/**
 * A shared statement is waited for longer than the database works on it, which has the first word: what took too long
 * there is a fault of the rows, no answer at all is an outage.
 */
const SILENT_MS = 5_000

/** Far from what a transaction may take, with the vectors and the entries of the indexes in addition to the contents. */
export const MOST_BYTES = 4 * 1024 * 1024

/**
 * A group waits no longer for a row that another transaction holds, before each of its rows is tried alone: one tenant's
 * rows are few, and none of them is to wait for another.
 */
const TOGETHER_MS = 1_000

/** One row alone meets what another transaction has just made or removed; a group is divided at once. */
const RACE_TRIES = 5

/** The more rows a commit has, the less each of them costs: a second one starts only beside one that is slow. */
const PASSING = { afterMs: 250, most: 4 }

type Enter<Row, Answer> = (row: Row, committer: GroupCommitter) => Promise<Answer>

/** A batch that rows can enter, and how many callers are in it. */
type Open = { readonly enter: unknown; callers: number }

/** The group commits of one database. No request waits longer than `requestMs`: nor does the commit of its rows. */
export function createGroupCommits(
  { neo4j, semaphore }: Pick<App, 'neo4j'> & Partial<Pick<App, 'semaphore'>>,
  requestMs = 15_000,
): GroupCommits {
  const queues = new Map<string, Promise<void>>()
  const batches = new Map<object, Map<string, Open>>()

  /** Runs after all that came before into a queue. */
  function queued<T>(queue: string, run: () => Promise<T>): Promise<T> {
    const done = (queues.get(queue) ?? Promise.resolve()).then(run)
    // The queue keeps no answer, which may be large.
    const over = () => {}
    queues.set(queue, done.then(over, over))
    return done
  }

  function open<Row, Answer>(
    group: GroupCommit<Row, Answer>,
    space: Space,
    share: string | undefined,
  ): Enter<Row, Answer> {
    const { queue, rows, size = Number.POSITIVE_INFINITY, sizeOf = () => 0, isOfTenant = false } = group
    const transactionMs = queue === undefined ? Math.min(requestMs, TRANSACTION_MS) : TRANSACTION_MS
    const commit = (some: readonly Row[]) => {
      const run = () => {
        const signal = AbortSignal.timeout(transactionMs + SILENT_MS)
        const isGroup = some.length > 1
        const caller = {
          app: { neo4j, ...(semaphore && { semaphore }) },
          signal,
          share,
          transactionMs: isOfTenant && isGroup ? Math.min(transactionMs, TOGETHER_MS) : transactionMs,
          raceTries: isGroup ? 1 : RACE_TRIES,
        }
        return group.commit(caller, space, some)
      }
      return queue === undefined ? run() : queued(queue, run)
    }
    const limits = {
      concurrency: 1,
      most: () => rows,
      bytes: size,
      sizeOf,
      // The share of a tenant bounds its commits.
      ...(queue === undefined && { passing: isOfTenant ? { ...PASSING, most: rows } : PASSING }),
    }
    const batch = createBatcher<Row, Answer>(limits, jobs =>
      commitDivided(commit, jobs, isOfTenant ? singles : halves),
    )
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
      const share = group.isOfTenant ? committer.share : undefined
      const opened = batches.get(group) ?? new Map<string, Open>()
      batches.set(group, opened)
      const key = JSON.stringify([space.id, share])
      const batch = opened.get(key) ?? { enter: open(group, space, share), callers: 0 }
      opened.set(key, batch)
      batch.callers++
      try {
        return await (batch.enter as Enter<Row, Answer>)(row, committer)
      } finally {
        if (--batch.callers === 0 && group.isOfTenant) opened.delete(key)
      }
    },
  }
}

type Divide = <Item>(items: readonly Item[]) => (readonly Item[])[]

/** A group that failed for what may be one of its rows is divided, until that row stands alone. */
async function commitDivided<Row, Answer>(
  commit: (rows: readonly Row[]) => Promise<Answer[]>,
  jobs: readonly BatchCall<Row, Answer>[],
  divide: Divide,
): Promise<void> {
  if (jobs.length === 0) return
  try {
    const answers = await commit(jobs.map(({ item }) => item))
    for (const [at, { resolve }] of jobs.entries()) resolve(answers[at] as Answer)
  } catch (error) {
    if (jobs.length === 1 || failedForAll(error)) for (const { reject } of jobs) reject(error)
    else {
      const parts = divide(jobs.filter(job => !job.isGone()))
      const over = Promise.all(parts.map(part => commitDivided(commit, part, divide)))
      // Rows that are tried alone leave their place to the next commit.
      if (divide !== singles) await over
    }
  }
}

const singles: Divide = items => items.map(item => [item])

const halves: Divide = items => [items.slice(0, items.length >> 1), items.slice(items.length >> 1)]
