import type { Output } from '../../contract/index.ts'
import { callCommand } from '../shell/call.ts'
import { AN_ID, ANOTHER_ID, given, numberOf, wordsOf } from '../shell/command.ts'
import { figureOf } from '../shell/show.ts'
import { clip } from '../shell/table.ts'
import type { Terminal } from '../shell/terminal.ts'

export const path = callCommand({
  words: 'SOURCE TARGET',
  summary: 'Explain how two memories are connected: the strongest paths between them',
  examples: [`path ${AN_ID} ${ANOTHER_ID}`],
  options: {
    depth: { value: 'N', short: 'd', describe: 'How many connections a path may have, 1 to 5 (default: 5)' },
    limit: { value: 'N', short: 'n', describe: 'At most this many paths (default: 3)' },
  },
  call({ values, words }) {
    const [source_id, target_id] = wordsOf(words, 'the source', 'the target')
    const input = {
      source_id,
      target_id,
      ...given({
        max_depth: numberOf(values.depth, '--depth'),
        limit: numberOf(values.limit, '--limit'),
      }),
    }
    return (client, options) => client.findPath(input, options)
  },
  show: showPaths,
})

function showPaths({ paths, truncated }: Output<'findPath'>, { say, note, paint, width }: Terminal) {
  if (paths.length === 0) note('There is no path between them.')
  for (const { score, memories, connections } of paths) {
    say(paint('green', `${figureOf(score)}, ${connections.length} connections`))
    for (const [at, { id, content }] of memories.entries()) {
      say(`  ${paint('bold', clip(content, width - 2))}`)
      say(`  ${paint('dim', id)}`)
      const next = connections[at]
      if (next)
        say(
          `    ${paint('cyan', `${next.source_id === id ? '↓' : '↑'} ${next.relationship_type}${next.strength === null ? '' : ` ${figureOf(next.strength)}`}, ${next.origin}`)}`,
        )
    }
  }
  if (truncated) note('The search ended at the bound on its work: something may be missing.')
}
