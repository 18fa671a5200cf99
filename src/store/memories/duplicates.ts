import { type MemoryColumns, memoryColumns, spaceParameter } from '../neo4j/projections.ts'
import { type Caller, read, type Transaction } from '../neo4j/statements.ts'
import { live } from '../neo4j/tokens.ts'

type Space = Parameters<typeof spaceParameter>[0]
export type TextKey = { readonly tenant: string; readonly digest: string }

export const keyOfText = ({ tenant, digest }: TextKey) => `${tenant}:${digest}`

/** The oldest active memory with each text, by `keyOfText`. */
export const findSameTexts = async (caller: Caller, space: Space, texts: readonly TextKey[]) =>
  byKey(await read<Found>(caller, sameTexts, parametersOf(space, texts)))

/** The same, once no other transaction that asks for these texts is under way: until the end of this one, none is. */
export async function claimTexts(
  { run }: Pick<Transaction, 'run'>,
  space: Space,
  texts: readonly TextKey[],
): Promise<Map<string, MemoryColumns>> {
  const parameters = parametersOf(space, texts)
  await run(lockTexts, parameters)
  return byKey(await run<Found>(sameTexts, parameters))
}

type Found = { key: string; memory: MemoryColumns }

const byKey = (found: readonly Found[]) => new Map(found.map(({ key, memory }) => [key, memory]))

/** In one order, so that no two transactions wait for each other. */
function parametersOf(space: Space, texts: readonly TextKey[]) {
  const keyed = new Map(texts.map(text => [keyOfText(text), text]))
  const rows = [...keyed].sort(([a], [b]) => (a < b ? -1 : 1))
  return { texts: rows.map(([key, text]) => ({ key, ...text })), space: spaceParameter(space) }
}

/** The uniqueness of the key makes the second transaction wait for the end of the first. The node itself is not kept. */
const lockTexts = `CYPHER 25
  UNWIND $texts AS row
  MERGE (l:TextLock {key: row.key})
  DELETE l`

const sameTexts = `CYPHER 25
  UNWIND $texts AS row
  CALL (row) {
    MATCH (m:Memory {tenant: row.tenant, textDigest: row.digest}) USING INDEX SEEK m:Memory(tenant, textDigest)
    WHERE ${live('m')} AND m.removedBy IS NULL
    RETURN m ORDER BY m.createdAt, m.id LIMIT 1
  }
  RETURN row.key AS key, ${memoryColumns('m')} AS memory`
