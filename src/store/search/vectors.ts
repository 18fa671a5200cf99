import type { Context } from '../../context.ts'
import { read, vector } from '../neo4j/statements.ts'
import { cosineOf } from './hits.ts'

/** The vectors of memories in the space of the context, of those that have one. */
export async function vectorsOf(ctx: Context, ids: readonly string[]): Promise<Map<string, Float32Array>> {
  const rows = await read<{ id: string; vector: number[] | Float32Array }>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    WHERE m.${ctx.space.property} IS NOT NULL
    RETURN m.id AS id, m.${ctx.space.property} AS vector`,
    { tenant: ctx.tenant, ids },
  )
  return new Map(rows.map(row => [row.id, Float32Array.from(row.vector)]))
}

/** The cosines of a vector with those of memories that have one. */
export async function cosinesOf(
  ctx: Context,
  query: Float32Array,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await read<{ id: string; cosine: number }>(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    WHERE m.${ctx.space.property} IS NOT NULL
    RETURN m.id AS id, ${cosineOf(`vector.similarity.cosine(m.${ctx.space.property}, $query)`)} AS cosine`,
    { tenant: ctx.tenant, ids, query: vector(query) },
  )
  return new Map(rows.map(({ id, cosine }) => [id, cosine]))
}
