import type { Context } from '../../context.ts'
import { KEPT_HOURS } from '../access/idempotency.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { clear } from '../neo4j/clear.ts'
import { int, readValues } from '../neo4j/statements.ts'

/**
 * The part of a statement that records that the write `writeId` has changed the memory `m`, in the transaction that does
 * so: a repeat after a lost answer knows it, whatever was written in between.
 */
export const recordWrite = (m: string, writeId: string) =>
  `CREATE (:Write {tenant: ${m}.tenant, memoryId: ${m}.id, id: ${writeId}, at: datetime.realtime('Z')})`

/** Whether the write has changed the memory `m` already. It counts only behind the lock of `m`. */
export const isWritten = (m: string, writeId: string) =>
  `EXISTS { MATCH (:Write {tenant: ${m}.tenant, memoryId: ${m}.id, id: ${writeId}}) }`

/** The part of a statement that removes what is recorded of a memory `m`. */
export const removeWrites = (m: string) =>
  `CALL (${m}) { MATCH (w:Write {tenant: ${m}.tenant, memoryId: ${m}.id}) WHERE w.id IS NOT NULL DELETE w }`

/** Which of some memories a write has changed. */
export async function readWrittenBy(
  ctx: Context,
  ids: readonly string[],
  writeId: string,
): Promise<ReadonlySet<string>> {
  const written = await readValues<string>(
    ctx,
    `UNWIND $ids AS id
    MATCH (:Write {tenant: $tenant, memoryId: id, id: $writeId})
    RETURN DISTINCT id`,
    { tenant: ctx.tenant, ids, writeId },
  )
  return new Set(written)
}

/** Removes what is older than the time that answers are kept. */
export const deleteOldWrites = (caller: Caller) =>
  clear(
    caller,
    `MATCH (w:Write) WHERE w.at < datetime.realtime('Z') - duration({hours: $kept})
    WITH w LIMIT $most
    DELETE w
    RETURN count(*) AS cleared`,
    { kept: int(KEPT_HOURS) },
  )
