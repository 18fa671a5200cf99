import type { Output } from '../../contract/index.ts'
import type { ConnectedClient } from '../shell/connect.ts'
import type { Terminal } from '../shell/terminal.ts'
import { readLines } from './lines.ts'
import {
  forgetProgress,
  isStaleCursor,
  type ProgressLine,
  progressFile,
  progressKeeper,
  readProgress,
} from './progress.ts'
import { sendBundle } from './send.ts'

export type Imported = Output<'importBundle'>

type Importing = {
  tenant: string
  lines: number
  repair?: boolean
  options: { mode: 'merge' | 'replace'; dry_run: boolean; on_duplicate?: 'store' | 'return' }
  terminal: Terminal
}

/** Sends a checked bundle of so many lines. It goes on where an earlier run of the same import was interrupted. */
export async function importFile(
  client: ConnectedClient,
  path: string,
  { tenant, lines, repair = false, options, terminal }: Importing,
): Promise<{ answer: Imported; leftOut: number }> {
  const { note, progress, signal } = terminal
  const of = await progressFile(path, client.baseUrl, tenant, JSON.stringify(options))
  const keep = progressKeeper(path, reason =>
    note(`How far it came cannot be kept (${reason}): after an interruption it starts again`),
  )
  const send = async (from: ProgressLine | undefined) => {
    const state: ProgressLine = from ?? { of, cursor: '', end: 0, lines: 0, left_out: 0 }
    const answer = await sendBundle(client, readLines(path, { from: state.end, repair }), {
      ...options,
      from,
      signal,
      onPause: reason => note(`${reason}; retrying`),
      async onPart({ cursor, lines: read, left_out, duplicates }, end) {
        for (const { line, reason, id } of left_out) note(`Line ${line}: ${reasons[reason]} (${id})`)
        noteDuplicates(terminal, duplicates)
        state.left_out += left_out.length
        progress(`${read} of ${lines} lines`)
        if (cursor !== null) await keep(Object.assign(state, { cursor, end, lines: read }))
      },
    })
    return { answer, leftOut: state.left_out }
  }
  const kept = await readProgress(path, of)
  if (kept) note(`Resuming after line ${kept.lines} of ${lines}`)
  const done = await send(kept).catch((error: unknown) => {
    if (!kept || !isStaleCursor(error)) throw error
    note('The service does not know where the last run was: starting again')
    return send(undefined)
  })
  await forgetProgress(path).catch(({ message }: Error) =>
    note(`It is done, but ${message}. Remove that before you import this bundle again.`),
  )
  return done
}

export function noteDuplicates(terminal: Terminal, duplicates: Imported['duplicates']) {
  for (const { id, duplicate_of } of duplicates)
    terminal.note(`${id} was not imported: ${duplicate_of} says the same`)
}

/** Why a line was left out, in words. */
export const reasons: Record<Imported['left_out'][number]['reason'], string> = {
  unknown_policy: 'left out: the tenant has no such policy',
  secret: 'left out: it contains a secret, which the service refuses',
  missing_memory: 'left out: its memory does not exist',
  missing_end: 'left out: a memory that it connects does not exist',
}
