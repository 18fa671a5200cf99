import { findFiles } from '../../integrations/ingest/files.ts'
import { loadFiles } from '../../integrations/ingest/load.ts'
import type { LoadTotals } from '../../integrations/ingest/write.ts'
import { creationDefaults } from '../contract/memory.ts'
import { command, type Invocation, listOf, numberOf, UsageError } from './shell/command.ts'
import { connectClient, connectionOptions } from './shell/connect.ts'
import { exit } from './shell/failures.ts'
import type { Terminal } from './shell/terminal.ts'
import { ingestTranscripts } from './transcripts.ts'

const MAXIMUM_TAGS = 25

const options = {
  policy: {
    value: 'NAME',
    short: 'p',
    describe: 'The lifecycle policy of the memories (default: pinned, or long_term with a time limit)',
  },
  'ttl-seconds': { value: 'N', describe: 'Their time limit; 0 is none (default: 0)' },
  tags: { value: 'A,B', short: 't', describe: 'Tags for all of them, in addition to those of the path' },
  source: {
    value: 'NAME',
    describe: 'Identify the files by this name and their path in the folder, wherever the folder is',
  },
  prune: { describe: 'Archive the memories of sections and files that are gone' },
  transcript: {
    describe:
      'The files are transcripts of Claude Code or Codex, or exports of ChatGPT, Claude or Gemini: load each turn with its session, speaker and time',
  },
  'dry-run': { describe: 'Show what would be done, and change nothing' },
  ...connectionOptions,
}

export const ingest = command({
  words: 'PATH…',
  summary: 'Load Markdown and text files as memories, one for each section',
  details: [
    'Run it again whenever you like, also after it was interrupted: what is loaded already is left as it is,',
    'a section that changed changes its memory, a new one makes a new memory.',
  ].join('\n'),
  examples: [
    'ingest docs',
    'ingest notes --tags notes --prune --dry-run',
    'ingest --transcript conversations.json',
  ],
  options,
  run,
})

async function run({ values, words }: Invocation<typeof options>, terminal: Terminal) {
  if (words.length === 0) throw new UsageError('Name at least one folder or file')
  const tags = listOf(values.tags)
  if (tags.length > MAXIMUM_TAGS) throw new UsageError(`--tags takes at most ${MAXIMUM_TAGS} tags`)
  if (values.transcript && (values.prune || values.source !== undefined))
    throw new UsageError('--transcript goes with neither --prune nor --source')
  if (values.transcript) return ingestTranscripts(words, values, tags, terminal)
  const { files, roots } = await findAll(words, values.source)
  const prune = values.prune ?? false
  if (files.length === 0 && !prune) {
    terminal.note('There are no Markdown or text files.')
    return exit.noInput
  }
  const client = await connectClient(values)
  const dryRun = values['dry-run'] ?? false
  const ttlSeconds = numberOf(values['ttl-seconds'], '--ttl-seconds') ?? creationDefaults.ttl_seconds
  const began = performance.now()
  const totals = await loadFiles(client, files, {
    policy: values.policy ?? (ttlSeconds > 0 ? creationDefaults.policy : 'pinned'),
    ttlSeconds,
    tags,
    roots,
    prune,
    dryRun,
    ...watching(terminal, files.length),
  })
  const seconds = (performance.now() - began) / 1000
  if (values.json) terminal.json({ ...totals, dry_run: dryRun, seconds: Number(seconds.toFixed(3)) })
  else report(totals, seconds, dryRun, terminal)
  return totals.unreadable.length > 0 ? exit.data : exit.done
}

/** A file that is in two of the folders counts once. @throws UsageError */
async function findAll(folders: readonly string[], source?: string) {
  const found = await Promise.all(
    folders.map(folder =>
      findFiles(folder, source).catch((error: NodeJS.ErrnoException) => {
        throw new UsageError(error.code === 'ENOENT' ? `There is no ${folder}` : error.message)
      }),
    ),
  )
  const files = new Map(found.flatMap(each => each.files).map(file => [file.identity, file]))
  return { files: [...files.values()], roots: found.map(({ root }) => root) }
}

/** What `load` needs to be watched and stopped from a terminal. */
export function watching(terminal: Terminal, files: number) {
  const began = performance.now()
  let lastReason = ''
  return {
    signal: terminal.signal,
    onPause(reason: string) {
      if (reason !== lastReason) terminal.note(`${reason}; retrying`)
      lastReason = reason
    },
    onProgress({ files: done, created, updated }: LoadTotals) {
      const written = created + updated
      const rate = Math.round((1000 * written) / (performance.now() - began))
      terminal.progress(`${done} of ${files} files, ${written} memories, ${rate} memories/s`)
    },
  }
}

export function report(totals: LoadTotals, seconds: number, dryRun: boolean, terminal: Terminal) {
  const { files, created, updated, unchanged, archived, left, conflicts, unreadable } = totals
  const rate = Math.round((created + updated) / seconds)
  terminal.finish(
    `${dryRun ? 'Would load' : 'Loaded'} ${files} files: ${created} memories new, ${updated} changed, ` +
      `${unchanged} unchanged, ${archived} archived (${seconds.toFixed(1)} s, ${rate} memories/s)`,
  )
  if (left > 0) terminal.note(`${left} memories are of sections that are gone; --prune archives them.`)
  if (conflicts > 0)
    terminal.note(`${conflicts} memories were changed by someone else in the meantime; run it again.`)
  for (const { file, reason } of unreadable) terminal.note(`${file} was left out: ${reason}.`)
}
