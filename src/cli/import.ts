import { importFile } from './bundle/import-file.ts'
import { importOptionsOf } from './bundle/options.ts'
import { reportImport } from './bundle/report.ts'
import { importKinds, takeOver } from './bundle/take-over.ts'
import { checkFile } from './bundle/verify.ts'
import { command, UsageError } from './shell/command.ts'
import { connectClient, connectionOptions } from './shell/connect.ts'
import { exit } from './shell/failures.ts'

export const importCommand = command({
  word: ['BUNDLE', 'the bundle, or the source'],
  summary: 'Take over a bundle, or what another tool keeps',
  details: [
    'The bundle is checked as a whole before anything is sent. The service goes on serving in the meantime.',
    'Run it again after an interruption: it goes on where it was, and nothing is taken over twice.',
    'From another tool: the command lists each entry that it leaves out, with its place, and imports the rest.',
    'Run it again to import what has changed there.',
  ].join('\n'),
  examples: [
    'import memories.ndjson --dry-run',
    'import --from mem0 export.json',
    'import --from obsidian notes --strict',
  ],
  options: {
    replace: {
      describe: 'Let the bundle win, and remove what is not in it (else: what was changed later stays)',
    },
    'on-duplicate': {
      value: 'VALUE',
      describe:
        'If another memory says the same. return: keep that one and connect it in place of the new one. store: import both (default: return; with --replace: store)',
    },
    from: { value: 'KIND', describe: `Read another tool instead of a bundle: ${importKinds.join(', ')}` },
    policy: { value: 'NAME', describe: 'from another tool: the lifecycle policy (default: long_term)' },
    group: { value: 'NAME', describe: 'graphiti: this group alone' },
    database: { value: 'NAME', describe: 'graphiti: the database there (default: neo4j)' },
    'source-user': { value: 'NAME', describe: 'graphiti: the user there (default: neo4j)' },
    'source-secret': {
      value: 'FILE',
      describe: 'graphiti, service: the file that holds the password or key there',
    },
    strict: { describe: 'from another tool: import nothing if anything would be left out' },
    repair: { describe: 'Take a bundle whose line ends an editor has changed' },
    'dry-run': { describe: 'Report what would be done, and change nothing' },
    ...connectionOptions,
  },
  async run({ values, word: path }, terminal) {
    if (values.from !== undefined) return takeOver(values.from, path, values, terminal)
    if (values.strict)
      throw new UsageError('--strict goes with --from. A bundle is always checked as a whole')
    const repair = values.repair ?? false
    const { lines } = await checkFile(path, terminal, repair)
    const client = await connectClient(values)
    const dryRun = values['dry-run'] ?? false
    const options = { ...importOptionsOf(values), dry_run: dryRun }
    const began = performance.now()
    const of = { tenant: values.tenant ?? '', lines, repair, options, terminal }
    const { answer, leftOut } = await importFile(client, path, of)
    const seconds = Number(((performance.now() - began) / 1000).toFixed(3))
    if (values.json) terminal.json({ ...answer, left_out: leftOut, dry_run: dryRun, seconds })
    else reportImport(answer, leftOut, { dryRun, seconds }, terminal)
    return leftOut > 0 ? exit.data : exit.done
  },
})
