import type { Output } from '../../contract/index.ts'
import { callCommand } from '../shell/call.ts'
import { AN_ID, given, numberOf, wordsOf } from '../shell/command.ts'
import { oneLine, shortTime, table } from '../shell/table.ts'
import type { Terminal } from '../shell/terminal.ts'

export const history = callCommand({
  words: 'ID',
  summary: 'Show the versions of a memory, the newest first',
  examples: [`history ${AN_ID}`],
  options: { limit: { value: 'N', short: 'n', describe: 'At most this many (default: 20)' } },
  call({ values, words }) {
    const [id] = wordsOf(words, 'one memory by its id')
    const input = { id, ...given({ limit: numberOf(values.limit, '--limit') }) }
    return (client, options) => client.getMemoryHistory(input, options)
  },
  show: showVersions,
})

function showVersions({ versions, has_more }: Output<'getMemoryHistory'>, terminal: Terminal) {
  const rows = versions.map(({ version, at, author, reason, changed, memory }) => [
    String(version),
    shortTime(at),
    author ?? '–',
    changed.join(', ') || '–',
    oneLine(reason === null ? memory.content : `(${reason}) ${memory.content}`),
  ])
  terminal.say(table(terminal, ['VERSION', 'SINCE', 'BY', 'CHANGED', 'CONTENT'], rows))
  if (has_more) terminal.note('There are earlier versions; --limit shows them.')
}

export const revert = callCommand({
  words: 'ID VERSION',
  summary: 'Make an earlier version of a memory current again, as a new version',
  examples: [`revert ${AN_ID} 2`],
  options: {},
  call({ words }) {
    const [id, typed] = wordsOf(words, 'one memory by its id', 'a version of it')
    const version = numberOf(typed, 'The version') ?? 0
    return (client, options) => client.revertMemory({ id, version }, options)
  },
  show: ({ id, version }, { note }) => note(`${id} is as it was, as version ${version}.`),
})
