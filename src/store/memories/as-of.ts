import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import { type MemoryColumns, memoryColumns, memoryOf, spaceParameter } from '../neo4j/projections.ts'
import { int, read, time } from '../neo4j/statements.ts'
import { filterParameters, type MemoryFilter, passes } from './filter.ts'
import { versionsOf, wholeVersion } from './history.ts'
import { type ListQuery, type Position, seek, seeksOf } from './ordering.ts'

/**
 * The part of a statement with `$asOf` that binds to `kept` whether the version is kept that a memory `m` had then, and to
 * `was` what it said: the newest of those recorded until then. What no version has is as it is today.
 */
export const memoryAsOf = (m: string) => `CALL (${m}) {
      OPTIONAL ${versionsOf(`${m}.tenant`, `${m}.id`)} AND ${m}.updatedAt > $asOf AND v.at <= $asOf
      WITH v ORDER BY v.version DESC LIMIT 1
      WITH CASE WHEN ${m}.updatedAt <= $asOf THEN ${m} ELSE v END AS x
      RETURN x IS NOT NULL AS kept, {${wholeVersion('x', m)}} AS was
    }`

/** Whether a walk or a list of a time, of these `$states`, showed what a memory `was` then: within its time limit, and passing. */
export const wasShown = `((('active' IN $states AND was.state = 'active' AND coalesce(was.expiresAt > $asOf, true))
      OR ('active' IN $states AND was.archivedReason = 'superseded' AND coalesce(was.archivedAt > $filter.validAt, false))
      OR ('archived' IN $states AND was.state = 'archived')) AND ${passes('was')})`

/**
 * The memories of the tenant that there were at a time, as they were, archived ones too; undefined where the version of
 * that time is not kept.
 */
export async function getMemoriesAsOf(
  ctx: Context,
  ids: readonly string[],
  asOf: number,
): Promise<Map<string, Memory | undefined>> {
  const rows = await read<{ kept: boolean; memory: MemoryColumns }>(
    ctx,
    `UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id) WHERE m.createdAt <= $asOf
    ${memoryAsOf('m')}
    RETURN kept, ${memoryColumns('was', 'm')} AS memory`,
    { ids, tenant: ctx.tenant, asOf: time(asOf), space: spaceParameter(ctx) },
  )
  return new Map(rows.map(({ kept, memory }) => [memory[0], kept ? memoryOf(ctx, memory) : undefined]))
}

/** How many memories one page of the past looks at. */
const LOOKED_AT = 2_000

/** `end` is the last memory that was looked at where there may be more; `lost` when a version is not kept. */
type PastPage = { found: Memory[]; end: Position | undefined; lost: boolean }

/** Memories in the order of creation behind a position, as they were at a time, of those that are looked at. */
export async function listAsOf(ctx: Context, query: ListQuery, asOf: number): Promise<PastPage> {
  const direction = query.order === 'desc' ? ' DESC' : ''
  const [row] = await read<{ found: MemoryColumns[]; ends: Position[]; lost: boolean }>(
    ctx,
    `UNWIND $parts AS part
    CALL (part) { ${seek(query)} LIMIT $bound RETURN m }
    WITH DISTINCT m ORDER BY m.createdAt${direction}, m.id${direction} LIMIT $bound
    ${memoryAsOf('m')}
    WITH m, kept, was ORDER BY m.createdAt${direction}, m.id${direction}
    WITH collect(m) AS looked, collect(CASE WHEN kept AND ${wasShown} THEN ${memoryColumns('was', 'm')} END) AS found,
      count(CASE WHEN NOT kept THEN m END) > 0 AS lost
    RETURN found, lost,
      CASE WHEN size(looked) < $bound THEN [] ELSE [m IN looked[-1..] | {key: m.createdAt.epochMillis, id: m.id}] END AS ends`,
    {
      tenant: ctx.tenant,
      space: spaceParameter(ctx),
      parts: seeksOf({ ...query, states: ['active', 'archived'] }),
      states: query.states,
      bound: int(LOOKED_AT),
      ...filterParameters(query.filter),
      asOf: time(asOf),
    },
  )
  const { found = [], ends = [], lost = false } = row ?? {}
  return { found: found.map(columns => memoryOf(ctx, columns)), end: ends[0], lost }
}

/** `isCut` where there are more memories than are looked through. */
export type LookedThrough = Pick<PastPage, 'found' | 'lost'> & { isCut: boolean }

/** Active memories as they were at the time of a filter, those created last first, of at most so many that are looked at. */
export async function* lookThroughAsOf(
  ctx: Context,
  filter: MemoryFilter,
  most: number,
): AsyncGenerator<LookedThrough> {
  const query = { states: ['active'], orderBy: 'created_at', order: 'desc', filter } as const
  let after: Position | undefined
  for (let looked = LOOKED_AT; ; looked += LOOKED_AT) {
    const { found, end, lost } = await listAsOf(ctx, { ...query, after }, filter.asOf ?? Date.now())
    const isLast = end === undefined || looked >= most
    yield { found, lost, isCut: isLast && end !== undefined }
    if (isLast) return
    after = end
  }
}
