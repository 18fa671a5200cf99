import { statSync } from 'node:fs'
import { loadTranscripts, type TranscriptTotals } from '../../integrations/transcripts/load.ts'
import { given, numberOf, UsageError } from './shell/command.ts'
import { type ConnectionValues, connectClient } from './shell/connect.ts'
import { exit } from './shell/failures.ts'
import type { Terminal } from './shell/terminal.ts'

type Values = ConnectionValues & { policy?: string; 'ttl-seconds'?: string; 'dry-run'?: boolean }

/** Loads transcripts and exports, and reports what was loaded. Returns the exit code. */
export async function ingestTranscripts(
  paths: readonly string[],
  values: Values,
  tags: string[],
  terminal: Terminal,
): Promise<number> {
  const ttl_seconds = numberOf(values['ttl-seconds'], '--ttl-seconds')
  const dryRun = values['dry-run'] ?? false
  const client = dryRun ? undefined : await connectClient(values)
  const missing = paths.find(path => !statSync(path, { throwIfNoEntry: false }))
  if (missing !== undefined) throw new UsageError(`There is no ${missing}`)
  const totals = await loadTranscripts(client, paths, {
    fields: { ...given({ policy: values.policy, ttl_seconds }), tags },
    signal: terminal.signal,
    onPause: reason => terminal.note(`${reason}; retrying`),
    onProgress: (path, sent, turns) => terminal.progress(`${path}: ${sent} of ${turns} turns`),
  })
  if (values.json) terminal.json({ ...totals, dry_run: dryRun })
  else report(totals, dryRun, terminal)
  return totals.damaged.length > 0 ? exit.data : exit.done
}

function report(
  { files, other_files, turns, stored, damaged }: TranscriptTotals,
  dryRun: boolean,
  terminal: Terminal,
) {
  for (const line of damaged) terminal.note(`Left out: ${line}.`)
  const of = `${turns} turns of ${files} files`
  const others = other_files > 0 ? ` ${other_files} other files hold no conversation.` : ''
  terminal.finish(
    dryRun
      ? `Would load ${of}.${others}`
      : `Loaded ${of}: ${stored} new, ${turns - stored} stored before.${others}`,
  )
}
