import { open, rename, stat, truncate } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, ProblemError } from '../../client.ts'
import { isConnectionLost } from '../loading/patience.ts'
import { linesOf } from './lines.ts'

export type Fetching = {
  vectors: boolean
  signal: AbortSignal
  onLines: (lines: number) => void
  onPause: (reason: string) => void
}

/**
 * Writes the tenant's bundle into a file. Until it is whole the file is called `.partial`; what is found there from an
 * earlier run is gone on with, and so is an answer that is cut off.
 */
export async function fetchBundle(client: Client, path: string, fetching: Fetching): Promise<void> {
  const partial = `${path}.partial`
  for (let reached = -1, until = 0; ; ) {
    const { cursor, lines } = await takeUp(partial)
    if (lines > reached) until = Date.now() + PATIENCE_MS
    reached = lines
    try {
      await append(client, partial, cursor, lines, fetching)
      return void (await rename(partial, path))
    } catch (error) {
      if (!isCutOff(error) || fetching.signal.aborted || Date.now() > until) throw error
      fetching.onPause('The export was cut off')
      await pause(PAUSE_MS, undefined, { signal: fetching.signal })
    }
  }
}

const PATIENCE_MS = 90_000
const PAUSE_MS = 500

/** The last checkpoint of what is there; what follows it is cut away. */
async function takeUp(partial: string): Promise<{ cursor: string | undefined; lines: number }> {
  const kept = { cursor: undefined as string | undefined, lines: 0, end: 0 }
  let lines = 0
  if ((await stat(partial).catch(() => undefined)) === undefined) return kept
  for await (const { text, end } of linesOf(partial)) {
    lines += 1
    if (text.startsWith(CHECKPOINT) && text.endsWith('}'))
      Object.assign(kept, { cursor: (JSON.parse(text) as { cursor: string }).cursor, lines, end })
  }
  await truncate(partial, kept.end)
  return kept
}

const CHECKPOINT = '{"section":"checkpoint"'

async function append(
  client: Client,
  partial: string,
  cursor: string | undefined,
  from: number,
  { vectors, signal, onLines }: Fetching,
) {
  await using file = await open(partial, 'a')
  const { pieces } = await client.exportBundle({ vectors, ...(cursor ? { cursor } : {}) }, { signal })
  let lines = from
  let end = ''
  for await (const piece of pieces) {
    await file.write(piece)
    lines += piece.split('\n').length - 1
    end = (end + piece).slice(-2_000)
    onLines(lines)
  }
  if (!end.trimEnd().split('\n').at(-1)?.startsWith('{"section":"manifest"'))
    throw new CutOff('The export ended without a manifest.')
  await file.sync()
}

class CutOff extends Error {}

const isCutOff = (error: unknown) =>
  error instanceof CutOff ||
  isConnectionLost(error) ||
  (error instanceof TypeError && error.message === 'terminated') ||
  (error instanceof ProblemError && (error.status === 503 || error.status === 429))
