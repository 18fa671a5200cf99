import type { Context } from '../../context.ts'
import { inMillis, spaceParameter } from '../neo4j/projections.ts'
import { read } from '../neo4j/statements.ts'
import { live } from '../neo4j/tokens.ts'
import { comparedWords } from '../neo4j/words.ts'
import type { Glimpse } from './types.ts'

/** A memory as the graph has it, with its words (`comparedWords`) and its vector where a question needs them. */
export type GlimpseRow = Omit<Glimpse, 'vector' | 'has'> & {
  readonly words: string | null
  readonly vector: readonly number[] | Float32Array | null
}

/** The memories as they are now, in whatever state; what is removed is missing. */
export const readGlimpses = (
  ctx: Pick<Context, 'app' | 'signal' | 'tenant' | 'space'>,
  ids: readonly string[],
  withVectors: boolean,
) =>
  read<GlimpseRow>(
    ctx,
    `UNWIND $ids AS id
    MATCH (m:Memory {tenant: $tenant, id: id}) USING INDEX SEEK m:Memory(tenant, id)
    RETURN m.id AS id, m.version AS version, m.lateVersion AS lateVersion, ${live('m')} AS live, m.policy AS policy, m.tags AS tags,
      m.source AS source, m.sessionId AS sessionId, m.kind AS kind, coalesce(m.metadataKeys, []) AS metadataKeys,
      m.importance AS importance, ${inMillis('m.createdAt')} AS createdAt, ${inMillis('m.updatedAt')} AS updatedAt,
      ${inMillis('m.validFrom')} AS validFrom, ${inMillis('m.validUntil')} AS validUntil,
      CASE WHEN $withVectors THEN ${comparedWords('m')} END AS words,
      CASE WHEN $withVectors THEN m[$space.property] END AS vector`,
    { tenant: ctx.tenant, space: spaceParameter(ctx), ids, withVectors },
  )
