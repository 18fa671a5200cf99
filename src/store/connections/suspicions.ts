import type { Integer } from 'neo4j-driver'
import type { Context, GroupCommit } from '../../context.ts'
import {
  connectionKey,
  fromMillis,
  isNewer,
  isOfTexts,
  NOW,
  ofTexts,
  otherEnd,
  spaceParameter,
} from '../neo4j/projections.ts'
import { END_OF_TIME, int, type Running, read, write } from '../neo4j/statements.ts'
import { live } from '../neo4j/tokens.ts'
import { type Conflict, type ConflictRow, conflictColumns, conflictOf } from './conflicts.ts'
import { background, commit } from './subjects.ts'

/** A text of a memory, and the revision of its content. */
export type Text = { readonly id: string; readonly content: string; readonly revision: number }

/** The texts of a tenant's memories that have at most so many characters, by their ids. */
export async function getTexts(
  ctx: Context,
  ids: readonly string[],
  longest: number,
): Promise<Map<string, Text>> {
  const found = await commit(ctx, texts, { tenant: ctx.tenant, ids, longest: int(longest) })
  return new Map(found.map(each => [each.id, each]))
}

type TextsRow = { tenant: string; ids: readonly string[]; longest: Integer }

const texts: GroupCommit<TextsRow, Text[]> = {
  ...background,
  async commit(caller, _space, rows) {
    const found = await read<{ at: number; texts: Text[] }>(
      caller,
      `UNWIND $rows AS row
      UNWIND row.ids AS id
      MATCH (m:Memory {tenant: row.tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
      WHERE size(m.content) <= row.longest
      RETURN row.at AS at, collect({id: id, content: m.content, revision: m.revision}) AS texts`,
      { rows: rows.map((row, at) => ({ ...row, at: int(at) })) },
    )
    const textsAt = new Map(found.map(each => [each.at, each.texts]))
    return rows.map((_, at) => textsAt.get(at) ?? [])
  },
}

/** That a memory may contradict another one at a revision of its content, by which rule, and why. */
export type Suspected = {
  readonly id: string
  readonly revision: Integer
  readonly rule: string
  readonly reason: string
}

type KeepRow = {
  readonly id: string
  readonly tenant: string
  readonly revision: Integer
  readonly suspected: readonly Suspected[]
}

/**
 * Suggests what is suspected of memories, whose locks are held, and takes back what was suggested or rejected of texts that
 * they no longer have. What somebody has said of two texts stays.
 */
export async function keepSuspicions({ run }: Running, rows: readonly KeepRow[]) {
  // A first content has no suggestions that could be over.
  const some = rows.filter(({ suspected, revision }) => suspected.length > 0 || revision.toNumber() > 1)
  if (some.length > 0) await run(keep, { rows: some })
}

const isCurrent = isOfTexts('r', 'newer', 'older')

const keep = `UNWIND $rows AS row
  MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
  CALL (m, row) {
    MATCH (m)-[r:MAY_CONTRADICT]-${otherEnd('n')} WHERE n.tenant = row.tenant
    WITH r, startNode(r) AS newer, endNode(r) AS older WHERE NOT ${isCurrent}
    DELETE r
  }
  UNWIND row.suspected AS pair
  MATCH (n:Memory {tenant: row.tenant, id: pair.id}) USING INDEX SEEK n:Memory(tenant, id) WHERE n.revision = pair.revision
  WITH row, pair, m, n, ${isNewer('m', 'n')} AS isNewer
  WITH row, pair, CASE WHEN isNewer THEN m ELSE n END AS newer, CASE WHEN isNewer THEN n ELSE m END AS older
  MERGE (newer)-[r:MAY_CONTRADICT {pair: ${connectionKey('row.tenant', 'newer', 'older')}}]->(older)
  ON CREATE SET r.ofTenant = row.tenant, r.status = 'suggested', r.createdAt = ${NOW},
    r.revisions = ${ofTexts('newer', 'older')}, r.rule = pair.rule, r.reason = pair.reason
  REMOVE r.copiedBy`

type SuspicionStatus = 'suggested' | 'rejected'
export type SuspicionPlace = { createdAt: number; pair: string }

/** Pairs of active memories whose texts may contradict each other at one time, the newest suggestion first. */
export async function listSuspicions(
  ctx: Context,
  status: SuspicionStatus,
  { after, offset, limit }: { after: SuspicionPlace | undefined; offset: number; limit: number },
): Promise<Conflict[]> {
  const rows = await read<ConflictRow>(
    ctx,
    `MATCH (newer:Memory)-[r:MAY_CONTRADICT]->(older:Memory)
    WHERE r.ofTenant = $tenant AND r.status = $status AND r.createdAt <= ${fromMillis('$until')} AND r.pair IS NOT NULL
      AND NOT (r.createdAt = ${fromMillis('$until')} AND r.pair >= $pair)
      AND newer.tenant = $tenant AND older.tenant = $tenant AND ${live('newer')} AND ${live('older')} AND ${isCurrent}
      AND coalesce(newer.validFrom < older.validUntil, true) AND coalesce(older.validFrom < newer.validUntil, true)
      AND NOT EXISTS { (newer)-[:CONTRADICTS]-(older) }
    WITH newer, r, older ORDER BY r.createdAt DESC, r.pair DESC SKIP $offset LIMIT $limit
    RETURN ${conflictColumns('newer', 'older')}, r.rule AS rule`,
    {
      tenant: ctx.tenant,
      status,
      until: int(after?.createdAt ?? END_OF_TIME),
      pair: after?.pair ?? '~',
      offset: int(offset),
      limit: int(limit),
      space: spaceParameter(ctx),
    },
  )
  return rows.map(row => conflictOf(ctx, row))
}

export const placeOfSuspicion = (ctx: Context, { source, target, created_at }: Conflict): SuspicionPlace => ({
  createdAt: Date.parse(created_at),
  pair: pairOf(ctx, source.id, target.id),
})

const pairOf = ({ tenant }: Context, newer: string, older: string) => `${tenant}:${newer}:${older}`

export type ReviewOutcome = 'confirmed' | 'rejected'

/** Keeps what somebody says of two memories. */
export const settleSuspicion = (
  ctx: Context,
  { newer, older, outcome }: { newer: string; older: string; outcome: ReviewOutcome },
) =>
  write(
    ctx,
    `MATCH (m:Memory {tenant: $tenant, id: $newer}) USING INDEX SEEK m:Memory(tenant, id)
    MATCH (m)-[r:MAY_CONTRADICT {pair: $pair}]->${otherEnd('n')} WHERE n.tenant = $tenant
    SET r.status = $outcome`,
    { tenant: ctx.tenant, newer, pair: pairOf(ctx, newer, older), outcome },
  )

/** The newer one of two memories of a suggestion that may be reviewed so, and why it was made; undefined if there is none. */
export async function findSuspicion(
  ctx: Context,
  ids: readonly [string, string],
  outcome: ReviewOutcome,
): Promise<{ newer: string; reason: string | null } | undefined> {
  const [row] = await read<{ newer: string; reason: string | null }>(
    ctx,
    `MATCH (m:Memory {tenant: $tenant, id: $ids[0]}) USING INDEX SEEK m:Memory(tenant, id)
    MATCH (m)-[r:MAY_CONTRADICT]-${otherEnd('n')} WHERE n.tenant = $tenant AND n.id = $ids[1]
    WITH r, startNode(r) AS newer, endNode(r) AS older
    WHERE ${isCurrent} AND r.status IN ['suggested', 'rejected', $outcome]
    RETURN newer.id AS newer, r.reason AS reason`,
    { tenant: ctx.tenant, ids, outcome },
  )
  return row
}
