import type { Context } from '../../context.ts'
import { spaceParameter } from '../neo4j/projections.ts'
import { read } from '../neo4j/statements.ts'

/** The vectors of memories in the space of the context, of those that have one. */
export async function vectorsOf(ctx: Context, ids: readonly string[]): Promise<Map<string, Float32Array>> {
  const rows = await read<{ id: string; vector: number[] | Float32Array }>(
    ctx,
    `UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    WHERE m[$space.property] IS NOT NULL
    RETURN m.id AS id, m[$space.property] AS vector`,
    { tenant: ctx.tenant, space: spaceParameter(ctx), ids },
  )
  return new Map(rows.map(row => [row.id, Float32Array.from(row.vector)]))
}
