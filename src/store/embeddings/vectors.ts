import { hash } from 'node:crypto'
import type { Context, GroupCommit, Space } from '../../context.ts'
import { baseTenant } from '../../contract/private.ts'
import { recordLateVector } from '../feed/record.ts'
import { queueWalk } from '../jobs/enqueue.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { byKey, lock, unlock } from '../neo4j/lock.ts'
import { isBehind } from '../neo4j/projections.ts'
import { int, read, vector, write } from '../neo4j/statements.ts'
import { live } from '../neo4j/tokens.ts'

/** The bits of a 32-bit float that keep memories apart: of its 23 digits those that a model knows nothing of. */
const OWN_BITS = 0b1111

/**
 * A vector as one memory keeps it: the last bits of each value follow from its tenant and its id. Of vectors that are the
 * same to the last bit the index makes islands from which a search does not get away, those of other tenants neither
 * (apache/lucene#13611). A cosine changes by less than 2e-6, that of two of
 * them by less than 4e-6; what is an own vector already stays as it is.
 */
export const ownVector = (tenant: string, id: string, values: Float32Array) =>
  vector(markedVector(`${tenant}:${id}`, values))

/** A vector as bundles have it: the same in every tenant that has the memory. */
export const bundledVector = (id: string, values: Float32Array): Float32Array => markedVector(id, values)

function markedVector(name: string, values: Float32Array): Float32Array {
  const own = values.slice()
  const bits = new Uint32Array(own.buffer)
  const digest = hash('sha256', name, 'buffer')
  for (let at = 0; at < bits.length; at++)
    if (own[at] !== 0) bits[at] = (bits[at]! & ~OWN_BITS) | (digest[at % digest.length]! & OWN_BITS)
  return own
}

export type VectorRow = { id: string; revision: number; vector: Float32Array; truncated: boolean }

/**
 * Stores a vector for one revision of a content, in one commit with those that are made at the same time. Nothing
 * happens to a memory whose content has changed in the meantime.
 */
export const storeVector = (ctx: Context, space: Space, row: VectorRow): Promise<void> =>
  ctx.app.groupCommits.commit(
    stores,
    { signal: ctx.signal, space, share: baseTenant(ctx.tenant) },
    { ...row, tenant: ctx.tenant, isActive: space.id === ctx.space.id },
  )

/** In the active space, standing searches wait for the vector. */
type OwnedRow = VectorRow & { tenant: string; isActive: boolean }

const stores: GroupCommit<OwnedRow, void> = {
  queue: 'vectors',
  rows: 128,
  async commit(caller, space, rows) {
    await write(caller, storeRows(space), {
      property: space.property,
      rows: rows.toSorted(byKey).map(row => ({
        ...row,
        revision: int(row.revision),
        vector: ownVector(row.tenant, row.id, row.vector),
      })),
    })
    return rows.map(() => undefined)
  },
}

const storeRows = ({ truncated }: Space) => `UNWIND $rows AS row
  MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
  ${lock('m')}
  WITH m, row, m.revision = row.revision AS current
  ${unlock('m')}
  WITH m, row WHERE current
  CALL (m, row) {
    WITH m, row WHERE row.isActive AND m.${truncated} IS NULL
    ${recordLateVector('m')}
  }
  SET m.${truncated} = row.truncated
  WITH m, row
  CALL db.create.setNodeVectorProperty(m, $property, row.vector)
  RETURN count(*) AS stored`

export type Unembedded = { id: string; content: string; revision: number }

/** Where a walk over the tenant's memories stands, by age. */
export type Place = { createdAt: number; id: string }

/** Binds `m` to the `window` next active memories of the tenant from a place on, oldest first. */
export const nextActive = `CALL () {
      MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active' AND ${isBehind('m', 'id')}
      RETURN m ORDER BY m.tenant, m.state, m.createdAt, m.id LIMIT $window
    }`

export const windowParameters = ({ tenant }: Context, { createdAt, id }: Place, window: number) => ({
  tenant,
  createdAt: int(createdAt),
  id,
  window: int(window),
})

/**
 * Active memories without a vector in the space among the `window` next ones from a place on, oldest first, and the
 * place where the next call goes on; null at the end.
 */
export async function memoriesWithoutVector(
  ctx: Context,
  space: Space,
  from: Place,
  window: number,
): Promise<{ memories: Unembedded[]; next: Place | null }> {
  const [row] = await read<{ memories: Unembedded[]; seen: number; last: Place | null }>(
    ctx,
    `${nextActive}
    WITH collect(m) AS found
    RETURN size(found) AS seen, {createdAt: last(found).createdAt.epochMillis, id: last(found).id} AS last,
      [m IN found WHERE m.${space.property} IS NULL | {id: m.id, content: m.content, revision: m.revision}] AS memories`,
    windowParameters(ctx, from, window),
  )
  return { memories: row?.memories ?? [], next: row && row.seen === window ? row.last : null }
}

/** Queues the filling of a space for a tenant; one that ended or is in progress starts again. */
export const queueFill = (caller: Caller, tenant: string, space: Space) =>
  write(
    caller,
    queueWalk({ id: "'fill:' + $space + ':' + $tenant", kind: 'fill', tenant: '$tenant', space: '$space' }),
    { tenant, space: space.id },
  )

/** For some of the tenant's memories, the nearest others in each of two spaces. */
export const neighboursInBoth = (
  ctx: Context,
  spaces: readonly [Space, Space],
  sample: number,
  count: number,
) =>
  read<{ first: string[]; second: string[] }>(
    ctx,
    `MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active'
      AND m.${spaces[0].property} IS NOT NULL AND m.${spaces[1].property} IS NOT NULL
    WITH m ORDER BY m.id DESC LIMIT $sample
    ${spaces
      .map(
        ({ index, property }, number) => `CALL (m) {
      MATCH (n:Memory)
      SEARCH n IN (VECTOR INDEX ${index} FOR m.${property}
        WHERE n.tenant = $tenant AND ${live('n')} LIMIT $candidates) SCORE AS score
      RETURN [id IN collect(n.id) WHERE id <> m.id] AS ids${number}
    }`,
      )
      .join('\n')}
    RETURN ids0[0..$count] AS first, ids1[0..$count] AS second`,
    {
      tenant: ctx.tenant,
      sample: int(sample),
      count: int(count),
      candidates: int(Math.max(ctx.breadth, count + 1)),
    },
  )
