import { hash } from 'node:crypto'
import type { Context, Space } from '../../context.ts'
import type { Unrelated } from '../../platform/embeddings/calibration.ts'
import { audit } from '../access/audit.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { clear } from '../neo4j/clear.ts'
import { lock, unlock } from '../neo4j/lock.ts'
import { isoTime } from '../neo4j/projections.ts'
import { int, read, remove, write } from '../neo4j/statements.ts'

/** Approximate search thins out towards its end: what is nearer than the farthest candidate by this much was not missed. */
export const MARGIN = 0.01

type Identity = Pick<Space, 'provider' | 'model' | 'dimensions'>

/** A space as people read it. */
export const nameOfSpace = ({ provider, model, dimensions }: Identity) =>
  `${provider} / ${model}, ${dimensions} dimensions`

/** Names the space of (provider, model, dimensions); its properties and its index carry the name. */
export function spaceOf({ provider, model, dimensions }: Identity): Space {
  const id = hash('sha256', JSON.stringify([provider, model, dimensions])).slice(0, 12)
  return {
    id,
    provider,
    model,
    dimensions,
    property: `embedding_${id}`,
    truncated: `embeddingTruncated_${id}`,
    index: `memory_embedding_${id}`,
  }
}

/** Whether a property is a vector of a memory, or says of one whether its text was cut. */
export const isOfVector = (property: string) => /^embedding(Truncated)?_[0-9a-f]{12}$/.test(property)

/** `source` is the model as the settings named it, which can be a folder. */
export type KnownSpace = {
  space: Space
  source: string | null
  createdAt: string
  unrelated: Unrelated | null
}

/**
 * Which space is searched now, which was before: the one to roll back to; and which was recorded last: the one that is
 * being built when it is neither of the two. And how many memories of all tenants there are.
 */
export type Pointer = { active: string; previous: string | null; newest: string; memories: number }

/** Records a space and makes its vector index; the first one ever is active at once. */
export async function recordSpace(caller: Caller, space: Space, source: string | null): Promise<void> {
  await write(
    caller,
    `MERGE (s:EmbeddingSpace {id: $id})
    ON CREATE SET s.provider = $provider, s.model = $model, s.dimensions = $dimensions, s.property = $property,
      s.index = $index, s.source = $source, s.createdAt = datetime.realtime('Z')
    MERGE (a:Setting {name: 'activeSpace'})
    ON CREATE SET a.value = $id`,
    { ...space, dimensions: int(space.dimensions), source },
  )
  await write(caller, vectorIndex(space))
}

/** Keeps how the cosines of unrelated texts spread in a space. */
export const recordCalibration = (caller: Caller, { id }: Space, { mean, deviation }: Unrelated) =>
  write(
    caller,
    `MATCH (s:EmbeddingSpace {id: $id}) SET s.unrelatedMean = $mean, s.unrelatedDeviation = $deviation`,
    { id, mean, deviation },
  )

/**
 * Settings measured for recall: unquantised, and five candidates for each result asked for. A search that wants few
 * results asks for more all the same (`breadthAmong`).
 */
export const vectorIndex = ({
  index,
  property,
  dimensions,
}: Space) => `CREATE VECTOR INDEX ${index} IF NOT EXISTS FOR (m:Memory) ON m.${property}
  WITH [m.tenant, m.state, m.liveUntil, m.policy, m.importance, m.createdAt]
  OPTIONS {indexConfig: {\`vector.dimensions\`: ${dimensions}, \`vector.similarity_function\`: 'cosine',
    \`vector.quantization.type\`: 'NONE', \`vector.default_search_expansion_factor\`: 5,
    \`vector.hnsw.m\`: 16, \`vector.hnsw.ef_construction\`: 100}}`

const BREADTH = { least: 20, most: 200 }
const ENOUGH_AT = 25_000

/** The fewest candidates that a search asks for, so that recall holds: measured with 20,000, 100,000 and a million memories. */
export const breadthAmong = (memories: number): number =>
  Math.min(BREADTH.most, Math.ceil(BREADTH.least * Math.sqrt(Math.max(1, memories / ENOUGH_AT))))

export async function readPointer(caller: Caller): Promise<Pointer> {
  const [pointer] = await read<Pointer>(
    caller,
    `MATCH (a:Setting {name: 'activeSpace'})
    CALL () {
      MATCH (s:EmbeddingSpace) WHERE s.provider IS NOT NULL
      RETURN s.id AS newest ORDER BY s.createdAt DESC LIMIT 1
    }
    CALL () { MATCH (m:Memory) RETURN count(m) AS memories }
    RETURN a.value AS active, a.previous AS previous, newest, memories`,
  )
  return pointer as Pointer
}

export async function listSpaces(caller: Caller): Promise<KnownSpace[]> {
  const rows = await read<Identity & Omit<KnownSpace, 'space'>>(
    caller,
    `MATCH (s:EmbeddingSpace) WHERE s.provider IS NOT NULL
    WITH s ORDER BY s.createdAt
    RETURN s.provider AS provider, s.model AS model, s.dimensions AS dimensions, s.source AS source,
      ${isoTime('s.createdAt')} AS createdAt,
      CASE WHEN s.unrelatedMean IS NOT NULL
        THEN {mean: s.unrelatedMean, deviation: s.unrelatedDeviation} END AS unrelated`,
  )
  return rows.map(({ source, createdAt, unrelated, ...identity }) => ({
    ...{ space: spaceOf(identity), source, createdAt, unrelated },
  }))
}

/** How many active memories of all tenants have a vector in the space, and how many are still to get one. */
export async function countVectors(
  caller: Caller,
  { property }: Space,
): Promise<{ ready: number; missing: number }> {
  const [row] = await read<{ ready: number; missing: number }>(
    caller,
    `MATCH (m:Memory) WHERE m.tenant IS NOT NULL AND m.state = 'active'
    RETURN count(CASE WHEN m.${property} IS NOT NULL THEN 1 END) AS ready,
      count(CASE WHEN m.${property} IS NULL THEN 1 END) AS missing`,
  )
  return row as NonNullable<typeof row>
}

/** The switch, and the roll-back alike: one small write. False when another had switched in the meantime. */
export async function switchSpace(ctx: Context, from: string, to: string): Promise<boolean> {
  const row = await remove<{ active: string }>(
    ctx,
    `MATCH (a:Setting {name: 'activeSpace'}) ${lock('a')}
    WITH a, a.value = $from OR a.value = $to AS unmoved
    ${unlock('a')}
    WITH a WHERE unmoved
    SET a.previous = CASE a.value WHEN $to THEN a.previous ELSE $from END, a.value = $to
    RETURN a.value AS active`,
    { from, to },
    transaction => audit(ctx, transaction, { target: to }),
  )
  return row !== undefined
}

/** Takes a space away: its index, then its vectors, then its record, so that a repeat goes on where this one ended. */
export async function dropSpace(caller: Caller, space: Space): Promise<void> {
  await write(caller, `DROP INDEX ${space.index} IF EXISTS`)
  await clear(
    caller,
    `MATCH (m:Memory) WHERE m.tenant IS NOT NULL AND m.${space.property} IS NOT NULL
    WITH m LIMIT $most
    REMOVE m.${space.property}, m.${space.truncated}
    RETURN count(*) AS cleared`,
    {},
  )
  await write(
    caller,
    `MATCH (s:EmbeddingSpace {id: $id}) DELETE s
    WITH count(*) AS _
    MATCH (a:Setting {name: 'activeSpace'}) WHERE a.previous = $id
    REMOVE a.previous`,
    { id: space.id },
  )
}
