import type { Context } from '../context.ts'
import { type MemoryRow, newProperties, rowOf } from './memories/insert.ts'
import { connectionKey, NOW } from './neo4j/projections.ts'
import { write } from './neo4j/statements.ts'
import { FOREVER } from './neo4j/tokens.ts'

/**
 * Memories, all connected with the first, that operations find while their statements are planned. No change, no job and
 * no sum tells of them.
 */
export const putSamples = (ctx: Context, samples: readonly MemoryRow[]) =>
  write(
    ctx,
    `UNWIND $rows AS row
    MERGE (m:Memory {tenant: $tenant, id: row.properties.id})
    SET m += row.properties, m.createdAt = ${NOW}, m.updatedAt = ${NOW}, m.discoveredRevision = 1,
      m.liveUntil = ${FOREVER}, m.counted = [1, 0, size(row.properties.content)]
    WITH m, row
    CALL db.create.setNodeVectorProperty(m, $property, row.vector)
    WITH collect(m) AS samples
    UNWIND samples[1..] AS other
    WITH samples[0] AS first, other
    MERGE (first)-[r:RELATED_TO {tenant: $tenant}]->(other)
    SET r.key = ${connectionKey('$tenant', 'first', 'other')}, r.strength = 0.9, r.origin = 'discovered', r.createdAt = ${NOW}`,
    {
      tenant: ctx.tenant,
      property: ctx.space.property,
      rows: samples
        .map(sample => rowOf(ctx, sample, null))
        .filter(({ vector }) => vector !== null)
        .map(row => ({ properties: newProperties(row, ctx.space), vector: row.vector })),
    },
  )

export const removeSamples = (ctx: Context) =>
  write(ctx, 'MATCH (m:Memory) WHERE m.tenant = $tenant AND m.id IS NOT NULL DETACH DELETE m', {
    tenant: ctx.tenant,
  })
