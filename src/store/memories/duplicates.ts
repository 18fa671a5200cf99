import type { Space } from '../../context.ts'
import { isGivenImportance, type Memory, type NewMemory } from '../../contract/memory.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { keyOf } from '../neo4j/lock.ts'
import { type MemoryColumns, memoryColumns, NOW, spaceParameter } from '../neo4j/projections.ts'
import { int, type Running, read, type Transaction } from '../neo4j/statements.ts'
import { live } from '../neo4j/tokens.ts'
import { byKeeping, type Keepable, keepableColumns, lastsAsLong } from './keeper.ts'
import { type Asked, lockStates, type MemoryState } from './states.ts'

type Run = Transaction['run']

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

/** Which memories stand for none: those that will be replaced, and those that an import has marked. */
type Barred = { readonly ids: readonly string[]; readonly run?: string }

/** By `keyOf`, the memory that stands for each. */
export async function findSame(
  caller: Caller,
  { space, said, barred = { ids: [] } }: { space: Space; said: readonly Said[]; barred?: Barred },
): Promise<Map<string, MemoryColumns>> {
  const run: Run = (text, parameters) => read(caller, text, parameters)
  return columnsOf(run, space, await standing(run, said, barred))
}

/**
 * The same, once no other transaction that asks for these texts is in progress: until the end of this one, none is. Locks the
 * memories that stand for others together with `further` ones. Returns those that are there.
 */
export async function lockSame(
  { run }: Running,
  { space, said, further }: { space: Space; said: readonly Said[]; further: readonly Asked[] },
): Promise<{ known: Map<string, MemoryColumns>; locked: MemoryState[] }> {
  const texts = [...new Set(said.map(({ tenant, digest }) => `${tenant}:${digest}`))].sort()
  if (texts.length > 0) await run(lockTexts, { texts })
  const kept = await standing(run, said, { ids: further.map(({ id }) => id) })
  const ends = [...kept.map(({ tenant, id }) => ({ tenant, id })), ...further]
  if (ends.length === 0) return { known: new Map(), locked: [] }
  // Sent at once: the second is read behind the locks of the first.
  const [locked, known] = await Promise.all([lockStates({ run }, space, ends), columnsOf(run, space, kept)])
  return { known, locked }
}

/** Whether one memory of a request stands for another one of it. */
export const standsFor = (one: Said, other: Said): boolean =>
  one.tenant === other.tenant &&
  one.digest === other.digest &&
  one.source === other.source &&
  one.sessionId === other.sessionId &&
  lastsAsLong(spanOf(one, 0), spanOf(other, 0))

const spanOf = ({ validFrom, validUntil, ttl }: Said, now: number) => ({
  validFrom,
  validUntil,
  expiresAt: ttl === 0 ? null : now + 1_000 * ttl,
})

type Candidate = Keepable & { readonly tenant: string; readonly sayer: string; readonly now: number }

/** A memory that stands for what is said. */
type Standing = { readonly tenant: string; readonly id: string; readonly said: Said }

/** For each the memory itself, which a repeat finds; else the one that is kept of those that last as long. */
async function standing(run: Run, said: readonly Said[], barred: Barred): Promise<Standing[]> {
  if (said.length === 0) return []
  const { ids, run: importedBy = '-' } = barred
  const found = await run<Candidate>(candidates, { said, barred: { ids, importedBy } })
  const all = Map.groupBy(found, ({ tenant, sayer }) => keyOf({ tenant, id: sayer }))
  return said.flatMap(each => {
    const others = all.get(keyOf(each)) ?? []
    const itself = others.find(({ id }) => id === each.id)
    const kept = itself ?? others.filter(other => isLasting(other, each)).sort(byKept)[0]
    return kept ? [{ tenant: each.tenant, id: kept.id, said: each }] : []
  })
}

const isLasting = (one: Omit<Candidate, 'sayer'>, said: Said) => lastsAsLong(one, spanOf(said, one.now))

const byKept = (a: Candidate, b: Candidate) => byKeeping({ now: a.now })(a, b)

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
  }
  return Object.entries(lacks).flatMap(([name, isLacking]) => (isLacking ? [name] : []))
}

/** The uniqueness of the key makes the second transaction wait for the end of the first. The node itself is not kept. */
const lockTexts = `UNWIND $texts AS text
  MERGE (l:TextLock {key: text})
  DELETE l`

/** So many of the oldest are compared. */
const MOST_COMPARED = 100

/** Whether a memory `m` is live, and has the source and the session of what is said. */
const isOf = (said: string) => `${live('m')} AND m.removedBy IS NULL
      AND coalesce(m.source = ${said}.source, m.source IS NULL AND ${said}.source IS NULL)
      AND coalesce(m.sessionId = ${said}.sessionId, m.sessionId IS NULL AND ${said}.sessionId IS NULL)`

const columns = `${NOW}.epochMillis AS now, ${keepableColumns('m')}`

const candidates = `UNWIND $said AS row
  CALL (row) {
    MATCH (m:Memory {tenant: row.tenant, textDigest: row.digest}) USING INDEX SEEK m:Memory(tenant, textDigest)
    WHERE ${isOf('row')} AND NOT m.id IN $barred.ids AND coalesce(m.importedBy, '') <> $barred.importedBy
    WITH m ORDER BY m.createdAt, m.id LIMIT ${MOST_COMPARED}
    RETURN m
  }
  RETURN row.tenant AS tenant, row.id AS sayer, ${columns}`

/** By `keyOf` of what was said. One that has changed in the meantime may stand for it no longer. */
async function columnsOf(run: Run, space: Space, kept: readonly Standing[]) {
  if (kept.length === 0) return new Map<string, MemoryColumns>()
  const rows = kept.map((each, at) => ({ ...each, at: int(at) }))
  const found = await run<Omit<Candidate, 'sayer'> & { at: number; memory: MemoryColumns }>(readKept, {
    rows,
    space: spaceParameter({ space }),
  })
  return new Map(
    found.flatMap(({ at, memory, ...one }) => {
      const { said } = kept[at] as Standing
      return one.id === said.id || isLasting(one, said) ? [[keyOf(said), memory] as const] : []
    }),
  )
}

const readKept = `UNWIND $rows AS row
  MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
  WHERE m.textDigest = row.said.digest AND ${isOf('row.said')}
  RETURN 1.0 * row.at AS at, row.tenant AS tenant, ${columns}, ${memoryColumns('m')} AS memory`
