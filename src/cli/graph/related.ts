import { relationshipType } from '../../contract/connections.ts'
import type { Output } from '../../contract/index.ts'
import { command, given, type Invocation, listOf, numberOf, oneOf, UsageError } from '../shell/command.ts'
import { connectClient, connectionOptions } from '../shell/connect.ts'
import { figureOf, showMemory } from '../shell/show.ts'
import type { Terminal } from '../shell/terminal.ts'

const DIRECTIONS = ['out', 'in', 'both'] as const

const options = {
  depth: { value: 'N', short: 'd', describe: 'How many connections away, 1 to 5 (default: 1)' },
  limit: { value: 'N', short: 'n', describe: 'At most this many (default: 20)' },
  types: { value: 'A,B', describe: 'Follow only connections of these types' },
  direction: { value: 'WAY', describe: 'out, in or both (default: both)' },
  ...connectionOptions,
}

export const related = command({
  words: 'ID',
  summary: 'Walk the graph outward from a memory',
  examples: ['related 01a20fd7-9383-7200-98b6-dec6ba2db832 --depth 2'],
  options,
  run,
})

async function run({ values, words }: Invocation<typeof options>, terminal: Terminal) {
  const [id] = words
  if (!id || words.length > 1) throw new UsageError('Name one memory by its id')
  const direction = oneOf(DIRECTIONS, values.direction, '--direction') ?? 'both'
  const client = await connectClient(values)
  const answer = await client.relatedMemories(
    {
      id,
      direction,
      ...given({
        depth: numberOf(values.depth, '--depth'),
        limit: numberOf(values.limit, '--limit'),
        relationship_types: values.types === undefined ? undefined : typesOf(values.types),
      }),
    },
    { signal: terminal.signal },
  )
  if (values.json) terminal.json(answer)
  else showRelated(answer, terminal)
  return undefined
}

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
