import type { Context } from '../../context.ts'
import { audit } from '../access/audit.ts'
import { nextActive, type Place, windowParameters } from '../embeddings/vectors.ts'
import { queueRediscoveryOfMemory, queueWalk } from '../jobs/enqueue.ts'
import { readValue, transact, write } from '../neo4j/statements.ts'

/** Queues the job that goes over all memories of the tenant; one in progress starts again. Returns its id. */
export async function queueRediscovery(ctx: Context): Promise<string> {
  const id = idOf(ctx)
  await transact(ctx, async transaction => {
    await transaction.run(queueAll, { id, tenant: ctx.tenant })
    await audit(ctx, transaction, { target: id })
  })
  return id
}

/** The same on behalf of the service itself. */
export const queueAllAgain = (ctx: Context) => write(ctx, queueAll, { id: idOf(ctx), tenant: ctx.tenant })

const idOf = ({ tenant }: Context) => `rediscover_all:${tenant}`

const queueAll = queueWalk({ id: '$id', kind: 'rediscover_all', tenant: '$tenant' })

/** Queues a discovery for some memories. */
export const queueAgain = (ctx: Context, ids: readonly string[]) =>
  write(
    ctx,
    `UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id) WHERE m.state = 'active'
    ${queueRediscoveryOfMemory}`,
    { tenant: ctx.tenant, ids: [...ids].sort() },
  )

export const countActive = (ctx: Context): Promise<number> =>
  readValue(
    ctx,
    `MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active'
    RETURN count(m) AS n`,
    { tenant: ctx.tenant },
  )

/** Queues a discovery for each of the `window` next active memories. Returns where to continue; null at the end. */
export async function queueRediscoveries(ctx: Context, from: Place, window: number): Promise<Place | null> {
  const rows = await write<Place>(
    ctx,
    `${nextActive}
    WITH m ORDER BY m.id
    ${queueRediscoveryOfMemory}
    WITH m ORDER BY m.createdAt, m.id
    RETURN m.createdAt.epochMillis AS createdAt, m.id AS id`,
    windowParameters(ctx, from, window),
  )
  return rows.length === window ? (rows.at(-1) ?? null) : null
}
