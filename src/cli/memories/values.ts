import type { Client } from '../../client.ts'
import { callCommand } from '../shell/call.ts'
import { type Command, given, numberOf, UsageError } from '../shell/command.ts'
import { table } from '../shell/table.ts'

const listing = (
  name: string,
  operation: 'listTags' | 'listSources' | 'listSessions' | 'listKinds',
): Command =>
  callCommand({
    words: '[PREFIX]',
    summary: `List the ${name} in use, the most frequent first`,
    examples: [name, `${name} check --limit 10`],
    options: {
      limit: { value: 'N', short: 'n', describe: 'At most this many (default: 50)' },
      cursor: { value: 'CURSOR', describe: 'Continue a list; the note at its end has the cursor' },
    },
    call({ values, words: [prefix, ...more] }) {
      if (more.length > 0) throw new UsageError('Give one beginning, or none')
      const input = given({ prefix, limit: numberOf(values.limit, '--limit'), cursor: values.cursor })
      return (client: Client, options) => client[operation](input, options)
    },
    show({ values, next_cursor }, terminal) {
      if (values.length === 0) return terminal.note(`No ${name}.`)
      const rows = values.map(({ value, count }) => [String(count), value])
      terminal.say(table(terminal, ['COUNT', 'VALUE'], rows))
      if (next_cursor) terminal.note(`There is more: --cursor ${next_cursor}`)
    },
  })

export const tags = listing('tags', 'listTags')
export const sources = listing('sources', 'listSources')
export const sessions = listing('sessions', 'listSessions')
export const kinds = listing('kinds', 'listKinds')
