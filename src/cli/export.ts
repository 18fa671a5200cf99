import { checkFile } from './bundle/check.ts'
import { fetchBundle } from './bundle/fetch.ts'
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
    'The service goes on serving meanwhile. Run it again after an interruption: it goes on where it was.',
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
  await fetchBundle(client, path, {
    of: JSON.stringify([client.baseUrl, values.tenant ?? '', { vectors }]),
    vectors,
    signal: terminal.signal,
    onLines: lines => terminal.progress(`${lines} lines`),
    onPause: reason => terminal.note(`${reason}; going on from its last checkpoint`),
    onAnew: reason => terminal.note(`${reason}: starting again`),
  })
  const found = await checkFile(path, terminal)
  if (values.json) terminal.json({ file: path, ...found })
  else terminal.settle(`Exported ${countsOf(found.sums)} to ${path}`)
  return undefined
}

/** How much a bundle holds, in words. */
export const countsOf = (sums: Record<string, { count: number }>) =>
  Object.entries(sums)
    .map(([name, { count }]) => `${count} ${name}`)
    .join(', ')
