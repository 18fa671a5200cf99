import { isGivenImportance, type Memory, type NewMemory } from '../../contract/memory.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { lockNow } from '../neo4j/lock.ts'
import { type MemoryColumns, memoryColumns, NOW, spaceParameter } from '../neo4j/projections.ts'
import { read, type Transaction } from '../neo4j/statements.ts'
import { holdsNow, live } from '../neo4j/tokens.ts'

type Space = Parameters<typeof spaceParameter>[0]

/** What decides whether a memory may stand for another one: the text, whom it is about and how long it lasts. */
export type Said = {
  readonly id: string
  readonly tenant: string
  readonly digest: string
  readonly source: string | null
  readonly sessionId: string | null
  /** In seconds; 0 is for ever. */
  readonly ttl: number
  /** Milliseconds. */
  readonly validFrom: number | null
  readonly validUntil: number | null
}

/** Active memories that will be replaced, and so stand for no other. */
type Replaced = readonly string[]

/** By `keyOf`, the oldest memory that stands for each: it says the same of the same source and session, holds now, and lasts as long. */
export const findSame = async (caller: Caller, space: Space, said: readonly Said[]) =>
  byKey(await read<Found>(caller, same(''), parametersOf(space, said, [])))

/** By the id of what was said, the id of the oldest memory that stands for it. Neither those with these ids do, nor what an import has marked. */
export async function findOthers(
  caller: Caller,
  space: Space,
  said: readonly Said[],
  { ids, run }: { ids: Replaced; run: string },
): Promise<Map<string, string>> {
  const unmarked = same(`AND coalesce(m.importedBy, '') <> $run`)
  const found = await read<Found>(caller, unmarked, { ...parametersOf(space, said, ids), run })
  return new Map(found.map(({ id, memory }) => [id, memory[0]]))
}

/** The same, once no other transaction that asks for these texts is in progress: until the end of this one, none is. */
export async function claimSame(
  { run }: Pick<Transaction, 'run'>,
  space: Space,
  said: readonly Said[],
  replaced: Replaced,
): Promise<Map<string, MemoryColumns>> {
  const texts = new Set(said.map(({ tenant, digest }) => `${tenant}:${digest}`))
  // In one order, so that no two transactions wait for each other.
  await run(lockTexts, { texts: [...texts].sort() })
  return byKey(await run<Found>(same('', 'locked'), parametersOf(space, said, replaced)))
}

/** The same among memories of one request. */
export const standsFor = (one: Said, other: Said): boolean =>
  one.tenant === other.tenant &&
  one.digest === other.digest &&
  one.source === other.source &&
  one.sessionId === other.sessionId &&
  (one.ttl === 0 || (other.ttl > 0 && one.ttl >= other.ttl)) &&
  (one.validFrom === null || one.validFrom <= Date.now()) &&
  (one.validUntil === null || (other.validUntil !== null && one.validUntil >= other.validUntil))

/** The names of what was given and the memory that stands for it does not have. */
export const notStored = (memory: Memory, given: NewMemory): string[] => {
  const lacks = {
    policy: memory.policy !== given.policy,
    ttl_seconds: memory.ttl_seconds !== given.ttl_seconds,
    tags: given.tags.some(tag => !memory.tags.includes(tag)),
    importance: isGivenImportance(given.importance) && memory.importance !== given.importance,
    speaker: given.speaker !== undefined && memory.speaker !== given.speaker,
    kind: given.kind !== undefined && memory.kind !== given.kind,
    metadata: Object.entries(given.metadata).some(([name, value]) => memory.metadata[name] !== value),
    valid_from: isAnotherTime(given.valid_from, memory.valid_from),
    valid_until: isAnotherTime(given.valid_until, memory.valid_until),
  }
  return Object.entries(lacks).flatMap(([name, isLacking]) => (isLacking ? [name] : []))
}

const isAnotherTime = (given: string | undefined, time: string | null) =>
  given !== undefined && (time === null || Date.parse(given) !== Date.parse(time))

type Found = { tenant: string; id: string; memory: MemoryColumns }

const byKey = (found: readonly Found[]) => new Map(found.map(each => [keyOf(each), each.memory]))

/** Two tenants may have the same id. */
export const keyOf = ({ tenant, id }: { tenant: string; id: string }) => `${tenant}:${id}`

const parametersOf = (space: Space, said: readonly Said[], replaced: Replaced) => ({
  said,
  replaced,
  space: spaceParameter(space),
})

/** The uniqueness of the key makes the second transaction wait for the end of the first. The node itself is not kept. */
const lockTexts = `CYPHER 25
  UNWIND $texts AS text
  MERGE (l:TextLock {key: text})
  DELETE l`

/** A memory that is archived while this waits for it stands for none. */
const same = (further: string, locked?: 'locked') => `CYPHER 25
  UNWIND $said AS row
  CALL (row) {
    MATCH (m:Memory {tenant: row.tenant, textDigest: row.digest}) USING INDEX SEEK m:Memory(tenant, textDigest)
    WHERE ${live('m')} AND m.removedBy IS NULL AND NOT m.id IN $replaced AND ${holdsNow('m')} ${further}
      AND coalesce(m.source = row.source, m.source IS NULL AND row.source IS NULL)
      AND coalesce(m.sessionId = row.sessionId, m.sessionId IS NULL AND row.sessionId IS NULL)
      AND (m.expiresAt IS NULL OR row.ttl > 0 AND m.expiresAt >= ${NOW} + duration({seconds: row.ttl}))
      AND coalesce(m.validUntil.epochMillis >= row.validUntil, m.validUntil IS NULL)
    WITH m ORDER BY m.createdAt, m.id LIMIT 1
    ${locked ? `${lockNow('m')} WITH m WHERE ${live('m')}` : ''}
    RETURN m
  }
  RETURN row.tenant AS tenant, row.id AS id, ${memoryColumns('m')} AS memory`
