import type { Caller } from '../neo4j/attempts.ts'
import { read } from '../neo4j/statements.ts'
import { MARK } from './query.ts'

/** A transaction of a query: one in planning does not heed its end, and is listed until it is over. */
export type RunningQuery = { transaction: string; query: string; bytes: number }

/** The transactions of queries in the database, of all services that use it. */
export const runningQueries = (caller: Caller): Promise<RunningQuery[]> =>
  read<RunningQuery>(
    caller,
    `SHOW TRANSACTIONS YIELD transactionId, metaData, estimatedUsedHeapMemory
     WHERE metaData.${MARK} IS NOT NULL
     RETURN transactionId AS transaction, metaData.${MARK} AS query, coalesce(estimatedUsedHeapMemory, 0) AS bytes`,
  )

export const endTransactions = (caller: Caller, ids: readonly string[]) =>
  read(caller, 'TERMINATE TRANSACTIONS $ids YIELD transactionId RETURN transactionId', { ids })
