import type { Context } from '../../context.ts'
import { spaceParameter } from '../neo4j/projections.ts'
import { int, read } from '../neo4j/statements.ts'
import { comparedWords } from '../neo4j/words.ts'

type Sampled = { words: string; vector: number[] | null }

/** Of at least so many the vectors are read, and of less than twice as many: they are much to read. */
const SAMPLED_VECTORS = 100

/**
 * The words (`comparedWords`) of some of the tenant's active memories: half of them its oldest ones, half its newest. With some of
 * them their vectors, if they have one.
 */
export const sampleMemories = (ctx: Context, count: number): Promise<Sampled[]> => {
  const end = (direction: 'ASC' | 'DESC') => `MATCH (m:Memory) WHERE m.tenant = $tenant AND m.state = 'active'
        AND m.createdAt IS NOT NULL AND m.id IS NOT NULL
      WITH m ORDER BY m.tenant ${direction}, m.state ${direction}, m.createdAt ${direction}, m.id ${direction} LIMIT $half`
  return read<Sampled>(
    ctx,
    `CALL () {
      ${end('ASC')}
      RETURN m
      UNION
      ${end('DESC')}
      RETURN m
    }
    WITH collect(m) AS sample
    WITH sample, CASE WHEN size(sample) < 2 * $vectors THEN 1 ELSE size(sample) / $vectors END AS every
    UNWIND range(0, size(sample) - 1) AS at
    WITH sample[at] AS m, at % every = 0 AS whole
    RETURN ${comparedWords('m')} AS words, CASE WHEN whole THEN m[$space.property] END AS vector`,
    {
      tenant: ctx.tenant,
      space: spaceParameter(ctx),
      half: int(count / 2),
      vectors: int(SAMPLED_VECTORS),
    },
  )
}
