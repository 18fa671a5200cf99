import { checkFile, countsOf } from './bundle/check.ts'
import { command, type Invocation, UsageError } from './shell/command.ts'
import type { Terminal } from './shell/terminal.ts'

const options = { json: { describe: 'Answer in JSON, for programs' } }

export const verifyCommand = command({
  words: 'FILE',
  summary: 'Check a bundle: every line, the counts and the digests. No service is needed',
  examples: ['verify memories.ndjson'],
  options,
  run,
})

async function run({ values, words }: Invocation<typeof options>, terminal: Terminal) {
  const [path] = words
  if (!path || words.length > 1) throw new UsageError('Name the bundle')
  const found = await checkFile(path, terminal)
  if (values.json) terminal.json({ file: path, ...found })
  else {
    terminal.finish(`The bundle is whole: ${countsOf(found.sums)}`)
    if (found.open_ends > 0)
      terminal.note(`${found.open_ends} connections lead to memories that are not in it.`)
  }
  return undefined
}
