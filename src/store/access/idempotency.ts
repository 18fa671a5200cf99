import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { clear } from '../neo4j/clear.ts'
import { openTime } from '../neo4j/closed.ts'
import { lock, lockNow, lockPresent, unlock } from '../neo4j/lock.ts'
import { int, write } from '../neo4j/statements.ts'

/** For so long the answers to idempotency keys and the records of writes are kept. */
export const KEPT_HOURS = 24

export type IdempotentRequest = {
  /** What the request is to do next: run, wait for the first one, or repeat its answer. */
  outcome: 'run' | 'running' | 'answered' | 'gone' | 'reused'
  /** Ids that were minted for this request the first time. */
  mintedIds: string[]
  answer: string | null
  /** Names this claim: one that was taken over records nothing any more. */
  claim: string
}

/**
 * Claims a request by its key. The first claim stores the ids that the request will give to what it makes: a repeat
 * after a crash makes the same things again, which is to say nothing. A claim that is never ended ends on its own,
 * after the time for a request.
 */
export async function claimRequest(
  ctx: Context,
  { key, bodyHash, mintedIds }: { key: string; bodyHash: string; mintedIds: readonly string[] },
): Promise<IdempotentRequest> {
  const [row] = await write<IdempotentRequest>(
    ctx,
    `MERGE (i:IdempotentRequest {id: $id})
    ON CREATE SET i.tenant = $tenant, i.state = 'new'
    SET i.createdAt = coalesce(i.createdAt, ${openTime('$tenant')})
    ${lock('i')}
    WITH i, datetime.realtime('Z') AS now
    WITH i, now, i.state = 'new' OR i.createdAt < now - duration({hours: $kept}) AS fresh
    WITH i, now, CASE
      WHEN fresh THEN 'run'
      WHEN i.bodyHash <> $bodyHash THEN 'reused'
      WHEN i.state = 'running' AND i.claim <> $claim AND i.leaseUntil > now THEN 'running'
      WHEN i.state = 'running' THEN 'run'
      ELSE i.state END AS outcome, fresh
    FOREACH (_ IN CASE WHEN fresh THEN [1] ELSE [] END |
      SET i.bodyHash = $bodyHash, i.mintedIds = $mintedIds, i.createdAt = now, i.answer = null)
    FOREACH (_ IN CASE WHEN outcome = 'run' THEN [1] ELSE [] END |
      SET i.state = 'running', i.claim = $claim, i.leaseUntil = now + duration({milliseconds: $lease}))
    ${unlock('i')}
    WITH i, outcome, fresh
    CALL (i, fresh) {
      MATCH (i)-[had:ANSWERED]->(old:AnsweredMemory) WHERE fresh
      DETACH DELETE old
    }
    RETURN outcome, i.mintedIds AS mintedIds, i.answer AS answer, $claim AS claim`,
    {
      id: requestKey(ctx, key),
      tenant: ctx.tenant,
      bodyHash,
      mintedIds,
      claim: randomUUID(),
      kept: int(KEPT_HOURS),
      lease: int(ctx.app.config.requestTimeoutMs),
    },
  )
  return row as IdempotentRequest
}

/**
 * Keeps the answer with the memories that it tells of, each in one of the tenants: one that is removed takes the answer
 * with it, also one that has been removed by now.
 */
export const keepAnswer = (
  ctx: Context,
  key: string,
  {
    claim,
    answer,
    ...told
  }: { claim: string; answer: string; memoryIds: readonly string[]; tenants: string[] },
) =>
  write(
    ctx,
    `CALL () {
      UNWIND $tenants AS tenant
      UNWIND $memoryIds AS memoryId
      MATCH (m:Memory {tenant: tenant, id: memoryId}) USING INDEX SEEK m:Memory(tenant, id)
      ${lockPresent('m')}
      ${unlock('m')}
      RETURN collect({tenant: m.tenant, memoryId: m.id}) AS told
    }
    MATCH (i:IdempotentRequest {id: $id}) WHERE i.tenant = $tenant AND i.claim = $claim
    CALL (i, told) {
      UNWIND told AS each
      MERGE (i)-[:ANSWERED]->(:AnsweredMemory {tenant: each.tenant, memoryId: each.memoryId})
    }
    WITH i, size(told) >= size($memoryIds) AS whole
    SET i.state = CASE WHEN whole THEN 'answered' ELSE 'gone' END, i.answer = CASE WHEN whole THEN $answer END
    REMOVE i.leaseUntil`,
    {
      ...{ id: requestKey(ctx, key), tenant: ctx.tenant, claim, answer },
      ...{ memoryIds: [...new Set(told.memoryIds)].sort(), tenants: told.tenants },
    },
  )

/** The part of a statement that removes the stored answers that tell of the memory `memoryId`. */
export const removeAnswers = (tenant: string, memoryId: string) =>
  `MATCH (told:AnsweredMemory {tenant: ${tenant}, memoryId: ${memoryId}})<-[:ANSWERED]-(i:IdempotentRequest)
      SET i.state = 'gone'
      REMOVE i.answer
      DETACH DELETE told`

/** Lets the key go: after a refusal for any body, after a fault for the same one and with the same ids. */
export const releaseRequest = (
  ctx: Context,
  key: string,
  { claim, refused }: { claim: string; refused: boolean },
) =>
  write(
    ctx,
    `MATCH (i:IdempotentRequest {id: $id}) WHERE i.tenant = $tenant AND i.state = 'running' AND i.claim = $claim
    SET i.leaseUntil = datetime.realtime('Z')
    WITH i WHERE $refused
    DETACH DELETE i`,
    { id: requestKey(ctx, key), tenant: ctx.tenant, claim, refused },
  )

/** Removes what is older than the time that keys are kept. */
export const deleteOldRequests = (caller: Caller) =>
  clear(
    caller,
    `MATCH (i:IdempotentRequest) WHERE i.createdAt < datetime.realtime('Z') - duration({hours: $kept})
    WITH i LIMIT $most
    ${lockNow('i')}
    WITH i
    OPTIONAL MATCH (i)-[:ANSWERED]->(told:AnsweredMemory)
    DETACH DELETE told
    WITH DISTINCT i
    DETACH DELETE i
    RETURN count(*) AS cleared`,
    { kept: int(KEPT_HOURS) },
  )

const requestKey = (ctx: Context, key: string) => `${ctx.tenant}:${key}`
