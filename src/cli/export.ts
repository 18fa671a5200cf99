import { exportFile } from './bundle/export-file.ts'
import { countsOf } from './bundle/verify.ts'
import { answering } from './shell/command.ts'
import { connectClient, connectionOptions } from './shell/connect.ts'

export const exportCommand = answering({
  word: ['FILE', 'the file to write'],
  summary: 'Write everything of the tenant into one portable bundle',
  details: [
    'The service goes on serving in the meantime. Run it again after an interruption: it goes on where it was.',
    'The file is checked when it is whole.',
  ].join('\n'),
  examples: ['export memories.ndjson'],
  options: {
    'no-vectors': { describe: 'Leave the vectors out: a smaller file, whose memories are embedded again' },
    ...connectionOptions,
  },
  async answer({ values, word: file }, terminal) {
    const client = await connectClient(values)
    const vectors = !values['no-vectors']
    return { file, ...(await exportFile(client, file, { tenant: values.tenant ?? '', vectors, terminal })) }
  },
  show: ({ file, sums }, { finish }) => finish(`Exported ${countsOf(sums)} to ${file}`),
})
