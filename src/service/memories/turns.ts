import { createHash } from 'node:crypto'
import { v7 as mintId, stringify } from 'uuid'
import type { Context } from '../../context.ts'
import type { Turn } from '../../contract/turns.ts'
import { queueExtraction } from '../../store/chat-model/extraction.ts'
import { getMemories } from '../../store/memories/get.ts'
import { readWrittenBy } from '../../store/memories/written.ts'
import type { Handler } from '../handler.ts'
import { checkPolicies } from '../lifecycle/policies.ts'
import { storeMemories } from './create.ts'
import { newRows, storedOrRefused } from './memories.ts'
import { withMarks } from './secrets.ts'
import { discovered } from './waiting.ts'

export const addTurns: Handler<'addTurns'> = async (ctx, input) => {
  const { session_id, turns, visibility: _placed, ...common } = input
  await checkPolicies(ctx, [common], () => '')
  const ids = idsOf(ctx, session_id, turns)
  const marked = await withMarks(
    ctx,
    turns.map(({ speaker, text, time }) => ({
      ...common,
      content: text,
      speaker,
      session_id,
      kind: 'turn',
      ...(time !== undefined && { valid_from: time }),
      on_duplicate: 'store' as const,
    })),
    index => `/turns/${index}`,
  )
  const known = await getMemories(ctx, ids)
  const missing = ids.flatMap((id, at) =>
    known.has(id) ? [] : [{ id, memory: marked[at] as (typeof marked)[number] }],
  )
  const rows = await newRows(
    { ...ctx, mintedIds: missing.map(({ id }) => id) },
    missing.map(({ memory }) => memory),
  )
  const writeId = ctx.mintedIds?.[0] ?? mintId()
  const created = await storeMemories(
    ctx,
    rows.map(row => ({ ...row, writeId })),
  )
  // Another request may have stored a turn in the meantime, and an earlier try of this one may have before.
  const ours = await readWrittenBy(ctx, ids, writeId)
  const stored = storedOrRefused(created).filter(({ id }) => ours.has(id))
  const job = ctx.app.model && (await queueExtraction(ctx, session_id, false))
  ctx.app.wake()
  await discovered(ctx, stored)
  return {
    session_id,
    turns: ids.map((id, at) => ({
      id,
      stored: ours.has(id),
      sensitive: known.get(id)?.sensitive ?? marked[at]?.sensitive ?? [],
    })),
    stored: ours.size,
    extraction_job: job?.id ?? null,
  }
}

/** Ids that sort by time, so that the turns of a session keep their order. A turn with a time has the same id whenever it is sent. */
function idsOf({ tenant, mintedIds }: Context, session: string, turns: readonly Turn[]): string[] {
  const seen = new Map<string, number>()
  return turns.map(({ speaker, text, time }, at) => {
    if (time === undefined) return mintedIds?.[at] ?? mintId()
    const said = JSON.stringify([tenant, session, speaker, time, text])
    const nth = seen.get(said) ?? 0
    seen.set(said, nth + 1)
    return idOf(Math.max(0, Date.parse(time)), createHash('sha256').update(`${said}${nth}`).digest())
  })
}

/** A UUID of version 8: 48 bits of time as in version 7, then the hash. */
function idOf(time: number, hash: Buffer): string {
  const bytes = new Uint8Array(hash.subarray(0, 16))
  new DataView(bytes.buffer).setBigUint64(
    0,
    (BigInt(time) << 16n) | BigInt((hash[6] ?? 0) * 256 + (hash[7] ?? 0)),
  )
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return stringify(bytes)
}
