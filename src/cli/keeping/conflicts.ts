import { callCommand } from '../shell/call.ts'
import { AN_ID, ANOTHER_ID, type Group, given, numberOf, wordsOf } from '../shell/command.ts'
import { clip, shortTime } from '../shell/table.ts'

const list = callCommand({
  summary: 'List pairs of memories that contradict each other, the newest first',
  examples: ['conflicts list'],
  options: {
    limit: { value: 'N', short: 'n', describe: 'At most this many (default: 20)' },
    cursor: { value: 'CURSOR', describe: 'Continue a list; the note at its end has the cursor' },
  },
  call({ values, words }) {
    wordsOf(words)
    const input = given({ limit: numberOf(values.limit, '--limit'), cursor: values.cursor })
    return (client, options) => client.listConflicts(input, options)
  },
  show({ conflicts: found, next_cursor }, { say, note, paint, width }) {
    if (found.length === 0) note('No conflicts.')
    for (const { source, target, created_at } of found) {
      say(paint('dim', shortTime(created_at)))
      for (const { id, content } of [source, target]) {
        say(`  ${clip(content, width - 2)}`)
        say(`  ${paint('dim', id)}`)
      }
    }
    if (next_cursor) note(`There is more: --cursor ${next_cursor}`)
  },
})

const resolve = callCommand({
  words: 'KEEP ARCHIVE',
  summary: 'Keep the first memory, and archive the second, which no longer holds',
  examples: [`conflicts resolve ${AN_ID} ${ANOTHER_ID}`],
  options: { reason: { value: 'TEXT', describe: 'Why' } },
  call({ values, words }) {
    const [keep_id, archive_id] = wordsOf(words, 'the memory to keep', 'the one to archive')
    const input = { keep_id, archive_id, ...given({ reason: values.reason }) }
    return (client, options) => client.resolveConflict(input, options)
  },
  show: ({ kept_id, archived_id }, { note }) => note(`${kept_id} stays, ${archived_id} is archived.`),
})

export const conflicts: Group = {
  summary: 'See and resolve contradictions',
  actions: { list, resolve },
}
