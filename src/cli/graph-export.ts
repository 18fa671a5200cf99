import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fieldsOf } from '../contract/fields.ts'
import { type Input, routes } from '../contract/index.ts'
import { inputOptions } from './operations/options.ts'
import { answering, type CommandGroup } from './shell/command.ts'
import { connectClient, connectionOptions } from './shell/connect.ts'

const fields = inputOptions(fieldsOf(routes.exportGraph.input), { defaults: { format: 'graphml' } })

const exportGraph = answering({
  word: ['FILE', 'the file to write'],
  summary: routes.exportGraph.summary,
  details: 'A file that exists is replaced. - is standard output.',
  examples: ['graph export memories.graphml', 'graph export edges.csv --format csv --part edges'],
  options: { ...fields.options, ...connectionOptions },
  async answer({ values, word: file }, { signal }) {
    const input = (await fields.read(values)) as Input<'exportGraph'>
    const client = await connectClient(values)
    const { pieces, mediaType } = await client.exportGraph(input, { signal })
    if (file === '-') for await (const piece of pieces) process.stdout.write(piece)
    else await pipeline(Readable.from(pieces), createWriteStream(file))
    return { file, media_type: mediaType }
  },
  show: ({ file }, { note }) => note(`Exported the graph to ${file}`),
})

export const graph: CommandGroup = {
  summary: 'Export the graph for other programs',
  actions: { export: exportGraph },
}
