import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SourceError } from '../importers/found.ts'
import { UsageError } from '../shell/command.ts'
import type { ConnectedClient } from '../shell/connect.ts'
import { exit } from '../shell/failures.ts'
import type { Terminal } from '../shell/terminal.ts'
import { readTranscript } from './read.ts'
import type { Transcript } from './reading.ts'
import { type StoreOptions, storeTurns } from './store.ts'

type Options = Pick<StoreOptions, 'policy' | 'ttl_seconds' | 'tags'> & {
  readonly dryRun: boolean
  readonly json: boolean
}

/** Files without a turn and without damage are the other files. */
type Totals = { files: number; other_files: number; turns: number; stored: number; damaged: string[] }

/**
 * Loads transcripts and exports turn by turn. A file, a line or an entry that cannot be read is reported with its place,
 * and the rest is loaded.
 */
export async function ingestTranscripts(
  connect: () => Promise<ConnectedClient>,
  paths: readonly string[],
  { dryRun, json, ...stored }: Options,
  terminal: Terminal,
): Promise<number> {
  const client = dryRun ? undefined : await connect()
  const totals: Totals = { files: 0, other_files: 0, turns: 0, stored: 0, damaged: [] }
  for (const path of paths.flatMap(filesIn)) {
    const transcript = await readInto(totals, path)
    if (client && transcript)
      totals.stored += await storeTurns(client, transcript.host, transcript.turns, {
        ...stored,
        signal: terminal.signal,
        onPause: reason => terminal.note(`${reason}; retrying`),
        onProgress: sent => terminal.progress(`${path}: ${sent} of ${transcript.turns.length} turns`),
      })
  }
  if (json) terminal.json({ ...totals, dry_run: dryRun })
  else report(totals, dryRun, terminal)
  return totals.damaged.length > 0 ? exit.data : exit.done
}

/** Reads a file and counts it. */
async function readInto(totals: Totals, path: string): Promise<Transcript | undefined> {
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

function report({ files, other_files, turns, stored, damaged }: Totals, dryRun: boolean, terminal: Terminal) {
  for (const line of damaged) terminal.note(`Left out: ${line}.`)
  const of = `${turns} turns of ${files} files`
  const others = other_files > 0 ? ` ${other_files} other files hold no conversation.` : ''
  terminal.finish(
    dryRun
      ? `Would load ${of}.${others}`
      : `Loaded ${of}: ${stored} new, ${turns - stored} stored before.${others}`,
  )
}

/** A file, or the files in a folder that can be transcripts or exports. @throws UsageError */
function filesIn(path: string): string[] {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) throw new UsageError(`There is no ${path}`)
  if (!stats.isDirectory()) return [path]
  const names = globSync('**/*.{jsonl,json}', { cwd: path }).sort()
  const isFolder = (each: string) => statSync(each, { throwIfNoEntry: false })?.isDirectory() ?? false
  return names.map(name => join(path, name)).filter(each => !isFolder(each))
}
