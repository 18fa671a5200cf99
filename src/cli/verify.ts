import { checkFile, countsOf } from './bundle/verify.ts'
import { answering, jsonOption } from './shell/command.ts'

export const verifyCommand = answering({
  word: ['FILE', 'the bundle'],
  summary: 'Check a bundle: every line, the counts and the digests. No service is needed',
  examples: ['verify memories.ndjson'],
  options: jsonOption,
  answer: async ({ word: file }, terminal) => ({ file, ...(await checkFile(file, terminal)) }),
  show({ sums, open_ends }, { finish, note }) {
    finish(`The bundle is whole: ${countsOf(sums)}`)
    if (open_ends > 0) note(`${open_ends} connections lead to memories that are not in it.`)
  },
})
