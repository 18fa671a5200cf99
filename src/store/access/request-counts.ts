import { type Caller, clear, int, transact } from '../neo4j/statements.ts'

/** The requests of a client that one process has counted, and when that count ends, in milliseconds since 1970. */
export type RequestCount = { client: string; hits: number; until: number }

/**
 * Stores what this process has counted, and returns what the other processes have counted of the same clients. A repeat
 * changes nothing.
 */
export const exchangeCounts = (
  caller: Caller,
  process: string,
  counts: readonly RequestCount[],
): Promise<RequestCount[]> =>
  transact(caller, ({ run }) =>
    run<RequestCount>(
      `CYPHER 25
    UNWIND $counts AS count
    MERGE (r:RequestCount {id: count.client + ':' + $process})
    SET r.client = count.client, r.process = $process, r.hits = count.hits, r.until = count.until
    WITH count.client AS client
    MATCH (o:RequestCount) WHERE o.client = client AND o.process <> $process AND o.until > $now
    RETURN client, toInteger(sum(o.hits)) AS hits, max(o.until) AS until`,
      {
        process,
        now: int(Date.now()),
        counts: counts.map(({ client, hits, until }) => ({ client, hits: int(hits), until: int(until) })),
      },
    ),
  )

/** Removes the counts that have ended, of all processes. */
export const removeOldCounts = (caller: Caller) =>
  clear(
    caller,
    `CYPHER 25
    MATCH (r:RequestCount) WHERE r.until < $now
    WITH r LIMIT $most
    DELETE r
    RETURN count(*) AS cleared`,
    { now: int(Date.now()) },
  )
