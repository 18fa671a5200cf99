import { readFile } from 'node:fs/promises'
import { creationDefaults } from '../contract/memory.ts'
import { checkFile } from './bundle/check.ts'
import { type Imported, importFile, reasons } from './bundle/import-file.ts'
import { sendBundle } from './bundle/send.ts'
import { toBundle } from './importers/bundle.ts'
import { kinds, readSource } from './importers/index.ts'
import { command, type Invocation, UsageError } from './shell/command.ts'
import { connectClient, connectionOptions } from './shell/connect.ts'
import { exit } from './shell/failures.ts'
import type { Terminal } from './shell/terminal.ts'

const options = {
  replace: {
    describe: 'Let the bundle win, and remove what is not in it (else: what was changed later stays)',
  },
  from: { value: 'KIND', describe: `Read another tool instead of a bundle: ${kinds.join(', ')}` },
  policy: { value: 'NAME', describe: 'from another tool: the lifecycle policy (default: long_term)' },
  group: { value: 'NAME', describe: 'graphiti: this group alone' },
  'source-user': { value: 'NAME', describe: 'graphiti: the user there (default: neo4j)' },
  'source-secret': {
    value: 'FILE',
    describe: 'graphiti, service: the file that holds the password or key there',
  },
  'dry-run': { describe: 'Report what would be done, and change nothing' },
  ...connectionOptions,
}

export const importCommand = command({
  words: 'BUNDLE',
  summary: 'Take over a bundle, or what another tool keeps',
  details: [
    'The bundle is checked as a whole before anything is sent. The service goes on serving meanwhile.',
    'Run it again after an interruption: it goes on where it was, and nothing is taken over twice.',
    'From another tool: the command reports what it cannot import. Run it again to import what has changed there.',
  ].join('\n'),
  examples: ['import memories.ndjson --dry-run', 'import --from mem0 export.json'],
  options,
  run,
})

async function run({ values, words }: Invocation<typeof options>, terminal: Terminal) {
  const [path] = words
  if (!path || words.length > 1) throw new UsageError('Name the bundle, or the source')
  if (values.from !== undefined) return runFrom(values.from, path, values, terminal)
  const { lines } = await checkFile(path, terminal)
  const client = await connectClient(values)
  const dryRun = values['dry-run'] ?? false
  const manner = { mode: values.replace ? ('replace' as const) : ('merge' as const), dry_run: dryRun }
  const began = performance.now()
  const { answer, leftOut } = await importFile(client, path, {
    tenant: values.tenant ?? '',
    lines,
    manner,
    terminal,
  })
  const seconds = Number(((performance.now() - began) / 1000).toFixed(3))
  if (values.json) terminal.json({ ...answer, left_out: leftOut, dry_run: dryRun, seconds })
  else report(answer, leftOut, { dryRun, seconds }, terminal)
  return leftOut > 0 ? exit.data : exit.done
}

type Values = Invocation<typeof options>['values']

async function runFrom(kind: string, path: string, values: Values, terminal: Terminal) {
  const client = await connectClient(values)
  const secret = values['source-secret'] ? (await readFile(values['source-secret'], 'utf8')).trim() : ''
  const source = { username: values['source-user'] ?? 'neo4j', secret, group: values.group }
  const found = await readSource(kind, path, { ...source, signal: terminal.signal })
  const manner = {
    mode: values.replace ? ('replace' as const) : ('merge' as const),
    dry_run: values['dry-run'] ?? false,
  }
  const header = JSON.stringify({
    section: 'bundle',
    version: 1,
    made_at: new Date().toISOString(),
    vectors: null,
  })
  const { tenant } = await client.importBundle({ lines: [header], dry_run: true })
  const lines = toBundle(found, {
    tenant,
    source: `${kind} ${values.group ?? ''}`,
    policy: values.policy ?? creationDefaults.policy,
  })
  let leftOut = 0
  const began = performance.now()
  const answer = await sendBundle(client, counted(lines), {
    ...manner,
    signal: terminal.signal,
    onPause: reason => terminal.note(`${reason}; retrying`),
    onPart: ({ left_out }) => {
      for (const { reason, id } of left_out) terminal.note(`${id} was ${reasons[reason]}`)
      leftOut += left_out.length
    },
  })
  const seconds = Number(((performance.now() - began) / 1000).toFixed(3))
  const losses = Array.from(found.losses, ([what, times]) => ({ what, times }))
  if (values.json) terminal.json({ ...answer, left_out: leftOut, dry_run: manner.dry_run, seconds, losses })
  else {
    report(answer, leftOut, { dryRun: manner.dry_run, seconds }, terminal)
    if (losses.length > 0) terminal.note('What could not be kept:')
    for (const { what, times } of losses) terminal.note(`  ${times} × ${what}`)
  }
  return leftOut > 0 ? exit.data : exit.done
}

async function* counted(lines: readonly string[]) {
  for (const [index, text] of lines.entries()) yield { text, end: index + 1 }
}

function report(
  { totals }: Imported,
  leftOut: number,
  { dryRun, seconds }: { dryRun: boolean; seconds: number },
  terminal: Terminal,
) {
  terminal.settle(dryRun ? 'Would be done:' : `Imported in ${seconds.toFixed(1)} s:`)
  for (const name of ['policies', 'memories', 'connections'] as const) {
    const figures = Object.entries(totals[name]).filter(([, count]) => count > 0)
    terminal.say(
      `  ${name}: ${figures.map(([verdict, count]) => `${count} ${verdict}`).join(', ') || 'none'}`,
    )
  }
  const { taken, left_out } = totals.vectors
  if (taken + left_out > 0) terminal.say(`  vectors: ${taken} taken, ${left_out} to compute again`)
  if (leftOut > 0) terminal.note(`${leftOut} lines were left out.`)
}
