import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../shell/command.ts'
import type { ConnectedClient } from '../shell/connect.ts'
import { exit } from '../shell/failures.ts'
import type { Terminal } from '../shell/terminal.ts'
import { readTranscript } from './read.ts'
import { type StoreOptions, storeTurns } from './store.ts'

type Options = Pick<StoreOptions, 'policy' | 'ttl_seconds' | 'tags'> & {
  readonly dryRun: boolean
  readonly json: boolean
}

/** Loads transcripts and exports turn by turn. What cannot be read is reported with its place, and the rest is loaded. */
export async function ingestTranscripts(
  connect: () => Promise<ConnectedClient>,
  paths: readonly string[],
  { dryRun, json, ...stored }: Options,
  terminal: Terminal,
): Promise<number> {
  const client = dryRun ? undefined : await connect()
  const totals = { files: 0, turns: 0, stored: 0, damaged: [] as string[] }
  for (const path of paths.flatMap(filesIn)) {
    const { host, turns, damaged } = await readTranscript(path)
    totals.files += 1
    totals.turns += turns.length
    for (const { place, reason } of damaged) totals.damaged.push(`${path}, ${place}: ${reason}`)
    if (client)
      totals.stored += await storeTurns(client, host, turns, {
        ...stored,
        signal: terminal.signal,
        onPause: reason => terminal.note(`${reason}; retrying`),
        onProgress: sent => terminal.progress(`${path}: ${sent} of ${turns.length} turns`),
      })
  }
  if (json) terminal.json({ ...totals, dry_run: dryRun })
  else {
    for (const line of totals.damaged) terminal.note(`Left out: ${line}.`)
    terminal.finish(
      dryRun
        ? `Would load ${totals.turns} turns of ${totals.files} files.`
        : `Loaded ${totals.turns} turns of ${totals.files} files: ${totals.stored} new, ${totals.turns - totals.stored} stored before.`,
    )
  }
  return totals.damaged.length > 0 ? exit.data : exit.done
}

/** A file, or the files in a folder that can be transcripts or exports. @throws UsageError */
function filesIn(path: string): string[] {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) throw new UsageError(`There is no ${path}`)
  if (!stats.isDirectory()) return [path]
  const names = globSync('**/*.{jsonl,json}', { cwd: path }).sort()
  return names.map(name => join(path, name))
}
