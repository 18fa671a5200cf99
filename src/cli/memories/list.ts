import type { Output } from '../../contract/index.ts'
import { callCommand } from '../shell/call.ts'
import { given, numberOf, oneOf, wordsOf } from '../shell/command.ts'
import { filterOptions, filtersOf } from '../shell/filters.ts'
import { oneLine, shortTime, table } from '../shell/table.ts'
import type { Terminal } from '../shell/terminal.ts'

const ORDERS = ['created_at', 'updated_at', 'importance', 'health', 'last_recalled_at'] as const
const STATES = ['active', 'archived'] as const

export const list = callCommand({
  aliases: ['ls'],
  summary: 'List memories, the newest first',
  examples: [
    'list --tags checkout --limit 50',
    'list --order-by health --ascending',
    'list --state archived',
  ],
  options: {
    ...filterOptions,
    state: { value: 'STATE', describe: 'active or archived (default: active)' },
    'order-by': { value: 'FIELD', describe: `${ORDERS.join(', ')} (default: created_at)` },
    ascending: { describe: 'The lowest first' },
    limit: { value: 'N', short: 'n', describe: 'At most this many (default: 20, at most 200)' },
    cursor: { value: 'CURSOR', describe: 'Continue a list; the note at its end has the cursor' },
  },
  call({ values, words }) {
    wordsOf(words)
    const input = {
      ...filtersOf(values),
      ...given({
        state: oneOf(STATES, values.state, '--state'),
        order_by: oneOf(ORDERS, values['order-by'], '--order-by'),
        order: values.ascending ? ('asc' as const) : undefined,
        limit: numberOf(values.limit, '--limit'),
        cursor: values.cursor,
      }),
    }
    return (client, options) => client.listMemories(input, options)
  },
  show: showList,
})

function showList({ memories, next_cursor, truncated }: Output<'listMemories'>, terminal: Terminal) {
  if (memories.length === 0) return terminal.note('No memories.')
  const rows = memories.map(({ id, policy, health, created_at, content }) => [
    id,
    policy,
    String(Math.round(health)),
    shortTime(created_at),
    oneLine(content),
  ])
  terminal.say(table(terminal, ['ID', 'POLICY', 'HEALTH', 'CREATED', 'CONTENT'], rows))
  if (next_cursor) terminal.note(`There is more: --cursor ${next_cursor}`)
  if (truncated) terminal.note('The list ended at the bound on its work: matches may follow.')
}
