import { countsOf } from './bundle/check.ts'
import { exportFile } from './bundle/export-file.ts'
import { command, type Invocation, UsageError } from './shell/command.ts'
import { connectClient, connectionOptions } from './shell/connect.ts'
import type { Terminal } from './shell/terminal.ts'

const options = {
  'no-vectors': { describe: 'Leave the vectors out: a smaller file, whose memories are embedded again' },
  ...connectionOptions,
}

export const exportCommand = command({
  words: 'FILE',
  summary: 'Write everything of the tenant into one portable bundle',
  details: [
    'The service goes on serving in the meantime. Run it again after an interruption: it goes on where it was.',
    'The file is checked when it is whole.',
  ].join('\n'),
  examples: ['export memories.ndjson'],
  options,
  run,
})

async function run({ values, words }: Invocation<typeof options>, terminal: Terminal) {
  const [path] = words
  if (!path || words.length > 1) throw new UsageError('Name the file to write')
  const client = await connectClient(values)
  const vectors = !(values['no-vectors'] ?? false)
  const found = await exportFile(client, path, { tenant: values.tenant ?? '', vectors, terminal })
  if (values.json) terminal.json({ file: path, ...found })
  else terminal.finish(`Exported ${countsOf(found.sums)} to ${path}`)
  return undefined
}
