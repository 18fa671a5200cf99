import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../src/client.ts'
import type { RetryOptions } from '../../src/retry.ts'
import { SourceError } from '../reading/found.ts'
import { readTranscript, type Transcript } from './read.ts'
import { storeTurns, type TurnFields } from './store.ts'

type Options = RetryOptions & {
  readonly fields: TurnFields
  readonly onProgress: (path: string, sent: number, turns: number) => void
}

/** Files without a turn and without damage are the other files. */
export type TranscriptTotals = {
  files: number
  other_files: number
  turns: number
  stored: number
  damaged: string[]
}

/**
 * Loads transcripts and exports turn by turn; without a client it only reads them. A file, a line or an entry that cannot
 * be read is reported with its place, and the rest is loaded.
 */
export async function loadTranscripts(
  client: Client | undefined,
  paths: readonly string[],
  { onProgress, ...options }: Options,
): Promise<TranscriptTotals> {
  const totals: TranscriptTotals = { files: 0, other_files: 0, turns: 0, stored: 0, damaged: [] }
  for (const path of paths.flatMap(filesIn)) {
    const transcript = await readInto(totals, path)
    if (client && transcript)
      totals.stored += await storeTurns(client, transcript.host, transcript.turns, {
        ...options,
        onProgress: sent => onProgress(path, sent, transcript.turns.length),
      })
  }
  return totals
}

/** Reads a file and counts it. */
async function readInto(totals: TranscriptTotals, path: string): Promise<Transcript | undefined> {
  try {
    const transcript = await readTranscript(path)
    const { turns = [], damaged = [] } = transcript ?? {}
    if (turns.length === 0 && damaged.length === 0) totals.other_files += 1
    else totals.files += 1
    totals.turns += turns.length
    totals.damaged.push(...damaged.map(({ place, reason }) => `${path}, ${place}: ${reason}`))
    return transcript
  } catch (error) {
    if (!(error instanceof SourceError) && !isFileError(error)) throw error
    totals.damaged.push(withPath(path, error.message.replace(/\.$/, '')))
    return undefined
  }
}

/** A file that may not be read, is gone in the meantime, or is too long for a text. */
const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error

const withPath = (path: string, message: string) => (message.includes(path) ? message : `${path}: ${message}`)

/** A file, or the files in a folder that can be transcripts or exports. */
function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  const names = globSync('**/*.{jsonl,json}', { cwd: path }).sort()
  const isFolder = (each: string) => statSync(each, { throwIfNoEntry: false })?.isDirectory() ?? false
  return names.map(name => join(path, name)).filter(each => !isFolder(each))
}
