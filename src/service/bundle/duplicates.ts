import type { LineOf } from '../../contract/bundle.ts'
import { findSame, type Said } from '../../store/memories/duplicates.ts'
import { getMemories } from '../../store/memories/get.ts'
import { keyOf } from '../../store/neo4j/lock.ts'
import { textDigest } from '../../store/neo4j/tokens.ts'
import type { ImportState, Part } from './state.ts'

/** As many as a cursor carries. Those beyond are stored. */
const MOST = 5_000

/**
 * Leaves out the memories that are not here while another one says the same, which the bundle does not have: that one
 * stands for them from then on.
 */
export async function withoutDuplicates<Pair extends { line: LineOf<'memories'> }>(
  { ctx, state, returns, duplicates }: Part,
  pairs: readonly Pair[],
): Promise<readonly Pair[]> {
  const said = returns ? pairs.flatMap(({ line }) => saidOf(ctx.tenant, line)) : []
  if (said.length === 0) return pairs
  const ids = pairs.map(({ line }) => line.id)
  const others = await findSame(ctx, { space: ctx.space, said, barred: { ids, run: state.run } })
  const same = said.filter(each => others.has(keyOf(each))).map(({ id }) => id)
  const here = await getMemories(ctx, same)
  const found = same
    .filter(id => !here.has(id))
    .slice(0, MOST - state.duplicates.length)
    .map((id): [string, string] => [id, others.get(keyOf({ tenant: ctx.tenant, id }))?.[0] as string])
  state.duplicates.push(...found)
  duplicates.push(...found.map(([id, duplicate_of]) => ({ id, duplicate_of })))
  state.totals.memories.kept += found.length
  const leftOut = new Set(found.map(([id]) => id))
  return pairs.filter(({ line }) => !leftOut.has(line.id))
}

/** Of an active memory whose time has not run out. */
function saidOf(tenant: string, line: LineOf<'memories'>): Said[] {
  const left = line.expires_at === null ? 0 : Math.floor((Date.parse(line.expires_at) - Date.now()) / 1_000)
  if (line.state !== 'active' || (line.expires_at !== null && left <= 0)) return []
  const millis = (time: string | null) => (time === null ? null : Date.parse(time))
  return [
    {
      id: line.id,
      tenant,
      digest: textDigest(line.content),
      source: line.source,
      sessionId: line.session_id,
      ttl: left,
      validFrom: millis(line.valid_from),
      validUntil: millis(line.valid_until),
    },
  ]
}

type Ended = { memory_id?: string; source_id?: string; target_id?: string }

/** Lines with the memories that stand for those they are about. Versions, and what would connect a memory with itself, have no place and count as kept. */
export const ledToDuplicates =
  (state: ImportState, section: 'versions' | 'connections' | 'earlier_connections' | 'rejections') =>
  <Line extends { line: object }>(each: Line): Line[] => {
    if (state.duplicates.length === 0) return [each]
    const { memory_id, source_id = '', target_id = '' }: Ended = each.line
    const others = new Map(state.duplicates)
    const source = others.get(source_id) ?? source_id
    const target = others.get(target_id) ?? target_id
    const hasPlace = memory_id === undefined ? source !== target : !others.has(memory_id)
    if (!hasPlace) state.totals[section].kept += 1
    if (!hasPlace || memory_id !== undefined) return hasPlace ? [each] : []
    return [{ ...each, line: { ...each.line, source_id: source, target_id: target } }]
  }
