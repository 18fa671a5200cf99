import { relationshipType } from '../../contract/connections.ts'
import type { Output } from '../../contract/index.ts'
import { callCommand } from '../shell/call.ts'
import { AN_ID, given, listOf, numberOf, oneOf, UsageError, wordsOf } from '../shell/command.ts'
import { figureOf, showMemory } from '../shell/show.ts'
import type { Terminal } from '../shell/terminal.ts'

const DIRECTIONS = ['out', 'in', 'both'] as const

export const related = callCommand({
  words: 'ID',
  summary: 'Walk the graph outward from a memory',
  examples: [`related ${AN_ID} --depth 2`],
  options: {
    depth: { value: 'N', short: 'd', describe: 'How many connections away, 1 to 5 (default: 1)' },
    limit: { value: 'N', short: 'n', describe: 'At most this many (default: 20)' },
    types: { value: 'A,B', describe: 'Follow only connections of these types' },
    direction: { value: 'WAY', describe: 'out, in or both (default: both)' },
  },
  call({ values, words }) {
    const [id] = wordsOf(words, 'one memory by its id')
    const input = {
      id,
      direction: oneOf(DIRECTIONS, values.direction, '--direction') ?? 'both',
      ...given({
        depth: numberOf(values.depth, '--depth'),
        limit: numberOf(values.limit, '--limit'),
        relationship_types: values.types === undefined ? undefined : typesOf(values.types),
      }),
    }
    return (client, options) => client.relatedMemories(input, options)
  },
  show: showRelated,
})

function typesOf(text: string) {
  const parsed = relationshipType.array().safeParse(listOf(text))
  if (parsed.success) return parsed.data
  throw new UsageError(`--types are of ${relationshipType.options.join(', ')}`)
}

/** The memories that were reached, strongest path first, with the connection that led to each. */
export function showRelated({ related: items, truncated }: Output<'relatedMemories'>, terminal: Terminal) {
  if (items.length === 0) terminal.say('Nothing is connected to it.')
  for (const { memory, connection, depth, path_score } of items) {
    const leads = connection.target_id === memory.id ? '→' : '←'
    const strength = connection.strength === null ? '' : ` ${figureOf(connection.strength)}`
    const remark = `${leads} ${connection.relationship_type}${strength}, ${connection.origin}, ${depth} away`
    terminal.say(showMemory(terminal, figureOf(path_score), memory, remark))
  }
  if (truncated) terminal.note('The walk ended at the bound on its work: something may be missing.')
}
