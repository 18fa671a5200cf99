import { open } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, ProblemError } from '../../client.ts'
import { isConnectionLost } from '../../retry.ts'
import { given } from '../shell/command.ts'
import type { ConnectedClient } from '../shell/connect.ts'
import type { Terminal } from '../shell/terminal.ts'
import { disown, finish, isOfAnother, type Progress, startPartial, takeUp } from './partial.ts'
import { isStaleCursor } from './progress.ts'
import { checkFile, type Verified } from './verify.ts'

type Exporting = { tenant: string; vectors: boolean; terminal: Terminal }

/**
 * Writes the bundle of the client's tenant into a file, and checks it. Until it is whole the file is called `.partial`;
 * what an earlier run of the same export left there is resumed, and so is a response that is cut off.
 */
export async function exportFile(
  client: ConnectedClient,
  path: string,
  { tenant, vectors, terminal }: Exporting,
): Promise<Verified> {
  const { note, signal } = terminal
  // A partial file of another export is not resumed.
  const of = JSON.stringify([client.baseUrl, tenant, { vectors }])
  const partial = `${path}.partial`
  if (await isOfAnother(partial, of)) note(`${partial} is of another export: starting again`)
  for (let furthest = -1, until = 0; ; ) {
    const { cursor, lines } = await takeUp(partial, of)
    if (lines > furthest) until = Date.now() + RETRY_FOR_MS
    furthest = Math.max(furthest, lines)
    try {
      await append(client, partial, { cursor, lines, of, vectors, terminal })
      await finish(partial, path)
      break
    } catch (error) {
      if (cursor && isStaleCursor(error)) {
        note('The service does not know where the last run was: starting again')
        await disown(partial)
        furthest = -1
      } else if (isCutOff(error) && !signal.aborted && Date.now() <= until) {
        note('The export was cut off; going on from its last checkpoint')
        await pause(PAUSE_MS, undefined, { signal })
      } else throw error
    }
  }
  return checkFile(path, terminal)
}

const RETRY_FOR_MS = 90_000
const PAUSE_MS = 500

type Appending = Pick<Exporting, 'vectors' | 'terminal'> & Progress & { of: string }

async function append(
  client: Client,
  partial: string,
  { cursor, lines: from, of, vectors, terminal: { signal, progress } }: Appending,
) {
  const { pieces } = await client.exportBundle({ vectors, ...given({ cursor }) }, { signal })
  if (cursor === undefined) await startPartial(partial, of)
  await using file = await open(partial, 'a')
  let lines = from
  let end = ''
  for await (const piece of pieces) {
    await file.write(piece)
    lines += piece.split('\n').length - 1
    end = (end + piece).slice(-2_000)
    progress(`${lines} lines`)
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
