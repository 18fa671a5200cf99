import type { DateTime } from 'neo4j-driver'
import type { ChangeKind } from '../../contract/changes.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { lockNow } from '../neo4j/lock.ts'
import { BEGINNING, changeProjection, fromMillis } from '../neo4j/projections.ts'
import { END_OF_TIME, int, type Running, read, type Transaction, transact } from '../neo4j/statements.ts'
import type { FeedBounds, Numbered, NumberedChange } from './types.ts'

type Of = Caller & { readonly tenant: string }

/** Given at once at most; more than that in several transactions. */
export const NUMBERED_AT_ONCE = 2_000

/**
 * Gives the changes of the tenant that are committed their numbers, all or at least `count` behind `after`, and answers
 * how far the feed goes. All up to there can be read, and nothing will ever come in between: a number is given to what is committed
 * only, so what commits late comes later. One reader of a tenant at a time does this; writers are not in the way.
 */
export const numberChanges = (of: Of, wanted?: Numbered): Promise<FeedBounds> =>
  numberUntil(() => numberOnce(of), wanted)

/** The same in transactions that the caller makes. */
export async function numberUntil(
  once: () => Promise<FeedBounds>,
  { after = 0, count = Number.POSITIVE_INFINITY }: Numbered = {},
): Promise<FeedBounds> {
  for (;;) {
    const reach = await once()
    if (!reach.more || reach.last >= Math.max(after, reach.forgotten) + count) return reach
  }
}

/** One such transaction. */
export const numberOnce = (of: Of): Promise<FeedBounds> =>
  transact(of, transaction => numberBatch(of, transaction))

/** In one transaction. What the changes add to the tenant's memories is added to the sums next to the feed. */
export async function numberBatch({ tenant }: Pick<Of, 'tenant'>, { run }: Running): Promise<FeedBounds> {
  const [feed = nothing] = await run<Feed>(lockFeed, { tenant })
  const ids = await findUnnumbered(run, tenant)
  if (ids.length === 0) return { ...feed, more: false }
  await run(
    `UNWIND range(1, size($ids)) AS place
    MATCH (c:Change) WHERE elementId(c) = $ids[place - 1]
    WITH c, place, c.usage AS usage
    SET c.number = $last + place
    REMOVE c.unnumbered, c.usage
    WITH count(c) AS count, sum(usage[0]) AS memories, sum(usage[1]) AS archived, sum(usage[2]) AS characters
    MATCH (f:Feed {tenant: $tenant})
    SET f.last = $last + count, f.memories = coalesce(f.memories, 0) + memories,
      f.archived = coalesce(f.archived, 0) + archived, f.characters = coalesce(f.characters, 0) + characters`,
    { tenant, ids, last: int(feed.last) },
  )
  const last = feed.last + ids.length
  return { ...feed, last, more: ids.length >= NUMBERED_AT_ONCE }
}

type Feed = Pick<FeedBounds, 'last' | 'forgotten'>
const nothing: Feed = { last: 0, forgotten: 0 }

const lockFeed = `MERGE (f:Feed {tenant: $tenant})
  ON CREATE SET f.last = 0, f.forgotten = 0
  ${lockNow('f')}
  RETURN f.last AS last, f.forgotten AS forgotten`

/**
 * The oldest changes without a number, in order. A look at the index is no snapshot: it may pass over what is being
 * committed and then see what followed from that. So it looks again until two looks find the same: whatever a change
 * of the first look followed from was committed before it, and the second look would have found it.
 */
async function findUnnumbered(run: Transaction['run'], tenant: string): Promise<string[]> {
  const look = (until: DateTime | null, most: number) =>
    run<{ id: string; at: DateTime }>(unnumbered, { tenant, to: { until }, most: int(most) })
  let found = await look(null, NUMBERED_AT_ONCE)
  const until = found.at(-1)?.at
  for (let before = -1; until !== undefined && found.length !== before; ) {
    before = found.length
    found = await look(until, Number.MAX_SAFE_INTEGER)
  }
  return found.map(({ id }) => id)
}

const unnumbered = `MATCH (c:Change) WHERE c.unnumbered = $tenant AND c.at >= ${BEGINNING}
    AND c.at <= coalesce($to.until, ${fromMillis(String(END_OF_TIME))})
  WITH c ORDER BY c.unnumbered, c.at LIMIT $most
  RETURN elementId(c) AS id, c.at AS at`

/** How far the feeds of some tenants go, and whether there is anything without a number. Changes nothing. */
export const readFeedEnds = (caller: Caller, tenants: readonly string[]) =>
  read<{ tenant: string; last: number; pending: boolean }>(
    caller,
    `UNWIND $tenants AS tenant
    OPTIONAL MATCH (f:Feed {tenant: tenant})
    RETURN tenant, coalesce(f.last, 0) AS last,
      EXISTS { MATCH (c:Change) WHERE c.unnumbered = tenant AND c.at IS NOT NULL } AS pending`,
    { tenants },
  )

type Window = { after: number; until: number; limit: number }

/** `late`: with the vectors that came later than their memories, which are shown to those who ask for them. */
type Asked = {
  kinds?: readonly ChangeKind[] | undefined
  late?: boolean
  memoryId?: string | undefined
}

/**
 * The first changes behind a number, up to another that `numberChanges` has answered; and the last number that was
 * forgotten when they had been read.
 */
export async function readChanges(
  of: Of,
  { after, until, limit }: Window,
  { kinds, late = false, memoryId }: Asked = {},
): Promise<{ changes: NumberedChange[]; forgotten: number }> {
  const [row] = await read<{ changes: NumberedChange[]; forgotten: number }>(
    of,
    `CALL () {
      ${memoryId === undefined ? inOrder : ofMemory}
      WITH c ORDER BY c.number LIMIT $limit
      RETURN collect(${changeProjection('c')}) AS changes
    }
    MATCH (f:Feed {tenant: $tenant})
    RETURN changes, f.forgotten AS forgotten`,
    {
      tenant: of.tenant,
      after: int(after),
      until: int(until),
      limit: int(limit),
      of: { kinds: kinds ?? null, memoryId: memoryId ?? null },
      hidden: late || kinds ? [] : ['embedded'],
    },
  )
  return row ?? { changes: [], forgotten: 0 }
}

const within =
  'c.number > $after AND c.number <= $until AND ($of.kinds IS NULL OR c.kind IN $of.kinds) AND NOT c.kind IN $hidden'

const inOrder = `MATCH (c:Change) WHERE c.tenant = $tenant AND ${within}
      WITH c ORDER BY c.tenant, c.number LIMIT $limit`

const ofMemory = `CALL () {
      MATCH (c:Change) WHERE c.tenant = $tenant AND c.memoryId = $of.memoryId AND ${within}
      RETURN c ORDER BY c.tenant, c.memoryId, c.number LIMIT $limit
      UNION
      MATCH (c:Change) WHERE c.tenant = $tenant AND c.targetId = $of.memoryId AND ${within}
      RETURN c ORDER BY c.tenant, c.targetId, c.number LIMIT $limit
    }`

/**
 * Forgets changes that are older than so many seconds. All get a number first, also if nobody read them: the feed knows
 * what it has forgotten, and a reader that is behind learns of it, and misses nothing silently.
 */
export async function deleteOldChanges(of: Of, seconds: number): Promise<void> {
  await numberChanges(of)
  for (let cleared = NUMBERED_AT_ONCE; cleared >= NUMBERED_AT_ONCE; )
    cleared = await transact(of, transaction => forgetBatch(of, transaction, seconds))
}

async function forgetBatch({ tenant }: Of, { run }: Transaction, seconds: number): Promise<number> {
  const [{ forgotten } = nothing] = await run<Feed>(lockFeed, { tenant })
  const [found] = await run<{ cleared: number; reached: number | null }>(forgetNumbered, {
    tenant,
    seconds: int(seconds),
    most: int(NUMBERED_AT_ONCE),
    forgotten: int(forgotten),
  })
  await run('MATCH (f:Feed {tenant: $tenant}) SET f.forgotten = $forgotten', {
    tenant,
    forgotten: int(Math.max(forgotten, found?.reached ?? 0)),
  })
  return found?.cleared ?? 0
}

const old = "datetime.realtime('Z') - duration({seconds: $seconds})"

/** In the order of the numbers, and no further than to the first that is kept. */
const forgetNumbered = `MATCH (c:Change) WHERE c.tenant = $tenant AND c.number > 0
  WITH c ORDER BY c.tenant, c.number LIMIT $most
  WITH collect(c) AS oldest
  WITH oldest, ${old} AS bound
  WITH oldest, head([c IN oldest WHERE c.number > $forgotten AND c.at >= bound | c.number]) AS kept
  UNWIND oldest AS c
  WITH c, c.number AS number WHERE kept IS NULL OR number < kept
  DELETE c
  RETURN count(*) AS cleared, max(number) AS reached`
