import type { Context } from '../context.ts'
import { int, vector, write } from './neo4j/statements.ts'
import { FOREVER, textDigest } from './neo4j/tokens.ts'

type Samples = { ids: readonly string[]; content: string; words: string; values: Float32Array }

/**
 * Memories, all connected with the first, that operations find while their statements are planned. No change, no job and
 * no sum tells of them.
 */
export const putSamples = (ctx: Context, { ids, content, words, values }: Samples) =>
  write(
    ctx,
    `CYPHER 25
    UNWIND $ids AS id
    MERGE (m:Memory {tenant: $tenant, id: id})
    SET m += $properties, m.createdAt = datetime.realtime('Z'), m.updatedAt = datetime.realtime('Z')
    WITH collect(m) AS all
    UNWIND all[1..] AS other
    WITH all[0] AS first, other
    MERGE (first)-[r:RELATED_TO {tenant: $tenant}]->(other)
    SET r.strength = 0.9, r.origin = 'discovered', r.createdAt = datetime.realtime('Z')`,
    {
      tenant: ctx.tenant,
      ids,
      properties: {
        content,
        words,
        digest: textDigest(content),
        policy: 'long_term',
        ttlSeconds: int(0),
        tags: [],
        importance: 0.5,
        metadata: '{}',
        state: 'active',
        health: 100,
        recallCount: int(0),
        version: int(1),
        revision: int(1),
        discoveredRevision: int(1),
        counted: [int(1), int(0), int(content.length)],
        liveUntil: FOREVER,
        [ctx.space.property]: vector(values),
        [ctx.space.truncated]: false,
      },
    },
  )

export const removeSamples = (ctx: Context) =>
  write(ctx, 'CYPHER 25 MATCH (m:Memory) WHERE m.tenant = $tenant AND m.id IS NOT NULL DETACH DELETE m', {
    tenant: ctx.tenant,
  })
