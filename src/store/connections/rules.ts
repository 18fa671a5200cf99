import type { Context, KeptRule } from '../../context.ts'
import { spaceParameter } from '../neo4j/projections.ts'
import { int, read, readValue, write } from '../neo4j/statements.ts'
import { comparedWords } from '../neo4j/words.ts'

type Sampled = {
  readonly id: string
  readonly words: string
  readonly vector: readonly Float32Array[]
}

/** Some of the tenant's active memories, and the text digest of the last. */
export type Sample = { readonly memories: readonly Sampled[]; readonly last: string | undefined }

/** The `most` active memories with the first digests of their texts, whatever the order of the writes; of some the vectors. */
export async function sampleByText(ctx: Context, most: number, vectors: number): Promise<Sample> {
  const rows = await read<{ id: string; digest: string; words: string; vector: number[] | null }>(
    ctx,
    `MATCH (m:Memory) USING INDEX SEEK m:Memory(tenant, textDigest)
    WHERE m.tenant = $tenant AND m.textDigest >= '' AND m.state = 'active' AND m[$space.property] IS NOT NULL
    WITH m ORDER BY m.tenant, m.textDigest LIMIT $most
    WITH collect(m) AS sample
    UNWIND range(0, size(sample) - 1) AS at
    WITH at, sample[at] AS m
    RETURN m.id AS id, m.textDigest AS digest, ${comparedWords('m')} AS words,
      CASE WHEN at < $vectors THEN m[$space.property] END AS vector`,
    { tenant: ctx.tenant, space: spaceParameter(ctx), most: int(most), vectors: int(vectors) },
  )
  const memories = rows.map(({ vector, ...row }) => ({
    ...row,
    vector: vector ? [Float32Array.from(vector)] : [],
  }))
  return { memories, last: rows.at(-1)?.digest }
}

export async function readRule(ctx: Context): Promise<KeptRule | undefined> {
  const [row] = await read<Omit<KeptRule, 'common'> & { common: string[] }>(
    ctx,
    `MATCH (d:DiscoveryRule {tenant: $tenant, space: $space})
    RETURN d.near AS near, d.far AS far, d.wordless AS wordless, d.common AS common, d.byWords AS byWords, d.version AS version,
      d.memories AS memories, d.last AS last, d.unsettled AS unsettled`,
    { tenant: ctx.tenant, space: ctx.space.id },
  )
  return row && { ...row, common: new Set(row.common) }
}

export const keepRule = (ctx: Context, { common, memories, ...rule }: KeptRule) =>
  write(
    ctx,
    `MERGE (d:DiscoveryRule {tenant: $tenant, space: $space})
    SET d += $rule`,
    {
      tenant: ctx.tenant,
      space: ctx.space.id,
      rule: { ...rule, common: [...common].sort(), memories: int(memories) },
    },
  )

/** Whether memories of the tenant wait for their first discovery. */
export const hasWaiting = (ctx: Context): Promise<boolean> =>
  readValue(
    ctx,
    `RETURN EXISTS {
      MATCH (j:Job) WHERE j.state = 'queued' AND j.tenant = $tenant AND j.runAt IS NOT NULL AND j.kind = 'discover'
    } AS waits`,
    { tenant: ctx.tenant },
  )
