import { callCommand } from '../shell/call.ts'
import { UsageError, wordsOf } from '../shell/command.ts'
import { filterOptions, filtersOf } from '../shell/filters.ts'

export const erase = callCommand({
  summary: 'Remove memories for good, with everything that is stored about them, and print a receipt',
  details: [
    'For requests to be forgotten. It removes history, connections, recalls, queued jobs and stored responses too.',
    'You cannot undo it. To be able to, use forget. --dry-run counts only.',
  ].join('\n'),
  examples: ['erase --source crm:4711 --dry-run', 'erase --source crm:4711 --yes'],
  options: {
    ...filterOptions,
    all: { describe: 'Everything of the tenant' },
    'dry-run': { describe: 'Count, and remove nothing' },
    yes: { short: 'y', describe: 'Really remove it' },
  },
  call({ values, words }) {
    wordsOf(words)
    const dry_run = values['dry-run'] ?? false
    if (!dry_run && !values.yes)
      throw new UsageError('Nothing was removed. An erasure cannot be undone: repeat with --yes')
    const input = { dry_run, ...(values.all ? { all: true } : { filters: filtersOf(values) }) }
    return (client, options) => client.eraseMemories(input, options)
  },
  show({ id, counts, verified, complete }, { say, note }) {
    const sums = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
    if (id === null) return note(`It would remove ${sums.join(', ')}.`)
    say(id)
    note(`Removed ${sums.join(', ')}. ${verified ? 'Nothing is left of them.' : ''}`.trim())
    if (!complete) note('The time for one request was over: run it again for the rest.')
  },
})
