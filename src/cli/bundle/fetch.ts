import { open } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, ProblemError } from '../../client.ts'
import { isConnectionLost } from '../../retry.ts'
import { disown, finish, isOfAnother, type Progress, startPartial, takeUp } from './partial.ts'
import { isStaleCursor } from './progress.ts'

export type Fetching = {
  /** What is exported, and from where: a partial file of another export is not resumed. */
  of: string
  vectors: boolean
  signal: AbortSignal
  onLines: (lines: number) => void
  onPause: (reason: string) => void
  /** Called with the reason if the partial file of an earlier run cannot be used. */
  onAnew: (reason: string) => void
}

/**
 * Writes the tenant's bundle into a file. Until it is whole the file is called `.partial`; what an earlier run of the
 * same export left there is resumed, and so is a response that is cut off.
 */
export async function fetchBundle(client: Client, path: string, fetching: Fetching): Promise<void> {
  const { of, signal, onPause, onAnew } = fetching
  const partial = `${path}.partial`
  if (await isOfAnother(partial, of)) onAnew(`${partial} is of another export`)
  for (let furthest = -1, until = 0; ; ) {
    const kept = await takeUp(partial, of)
    if (kept.lines > furthest) until = Date.now() + RETRY_FOR_MS
    furthest = Math.max(furthest, kept.lines)
    try {
      await append(client, partial, kept, fetching)
      return await finish(partial, path)
    } catch (error) {
      if (kept.cursor && isStaleCursor(error)) {
        onAnew('The service does not know where the last run was')
        await disown(partial)
        furthest = -1
      } else if (isCutOff(error) && !signal.aborted && Date.now() <= until) {
        onPause('The export was cut off')
        await pause(PAUSE_MS, undefined, { signal })
      } else throw error
    }
  }
}

const RETRY_FOR_MS = 90_000
const PAUSE_MS = 500

async function append(
  client: Client,
  partial: string,
  { cursor, lines: from }: Progress,
  { of, vectors, signal, onLines }: Fetching,
) {
  const { pieces } = await client.exportBundle({ vectors, ...(cursor ? { cursor } : {}) }, { signal })
  if (cursor === undefined) await startPartial(partial, of)
  await using file = await open(partial, 'a')
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
