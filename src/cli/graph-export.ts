import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fieldsOf } from '../contract/fields.ts'
import { type Input, routes } from '../contract/index.ts'
import { describeOptions, inputOfOptions, optionsFor } from './operations/options.ts'
import { type CommandGroup, command, type Invocation, wordsOf } from './shell/command.ts'
import { connectClient, connectionOptions } from './shell/connect.ts'
import type { Terminal } from './shell/terminal.ts'

const fields = optionsFor(fieldsOf(routes.exportGraph.input), {})
const differences = { defaults: { format: 'graphml' } }
const options = { ...describeOptions(fields, differences), ...connectionOptions }

const exportGraph = command({
  words: 'FILE',
  summary: routes.exportGraph.summary,
  details: 'A file that exists is replaced. - is standard output.',
  examples: ['graph export memories.graphml', 'graph export edges.csv --format csv --part edges'],
  options,
  run,
})

async function run({ values, words }: Invocation<typeof options>, terminal: Terminal) {
  const [file] = wordsOf(words, 'the file to write')
  const input = (await inputOfOptions(fields, values, differences.defaults)) as Input<'exportGraph'>
  const client = await connectClient(values)
  const { pieces, mediaType } = await client.exportGraph(input, { signal: terminal.signal })
  if (file === '-') for await (const piece of pieces) process.stdout.write(piece)
  else await pipeline(Readable.from(pieces), createWriteStream(file))
  if (values.json) terminal.json({ file, media_type: mediaType })
  else terminal.note(`Exported the graph to ${file}`)
  return undefined
}

export const graph: CommandGroup = {
  summary: 'Export the graph for other programs',
  actions: { export: exportGraph },
}
