import type { Output } from '../../contract/index.ts'
import { whenSaid } from '../../contract/memory-heading.ts'
import { AN_ID, ANOTHER_ID } from '../shell/command.ts'
import { figureOf, showMemory } from '../shell/show.ts'
import { clip } from '../shell/table.ts'
import type { Terminal } from '../shell/terminal.ts'
import { operation } from './operation.ts'
import { showNotes, sumsOf } from './show.ts'

const ends = [
  ['source_id', 'SOURCE', 'the source'],
  ['target_id', 'TARGET', 'the target'],
] as const

export const related = operation('relatedMemories', {
  examples: [`related ${AN_ID} --depth 2`],
  defaults: { direction: 'both' },
  show: showRelated,
})

/** The memories that were reached, strongest path first, with the connection that led to each. */
export function showRelated(answer: Output<'relatedMemories'>, terminal: Terminal) {
  if (answer.related.length === 0) terminal.say('Nothing is connected to it.')
  for (const { memory, connection, depth, path_score } of answer.related) {
    const leads = connection.target_id === memory.id ? '→' : '←'
    const remark = `${leads} ${toldOf(connection)}, ${depth} away${reasonOf(connection)}`
    terminal.say(showMemory(terminal, figureOf(path_score), memory, remark))
  }
  showNotes(answer, terminal)
}

export const path = operation('findPath', {
  words: ends,
  show: showPaths,
})

function showPaths(answer: Output<'findPath'>, terminal: Terminal) {
  const { say, note, paint, width } = terminal
  if (answer.paths.length === 0) note('There is no path between them.')
  for (const { score, memories, connections } of answer.paths) {
    say(paint('green', `${figureOf(score)}, ${connections.length} connections`))
    for (const [at, memory] of memories.entries()) {
      const { id, content } = memory
      say(`  ${paint('bold', clip(content, width - 2))}`)
      say(`  ${paint('dim', `${id} ${whenSaid(memory)}`)}`)
      const next = connections[at]
      if (next) say(`    ${paint('cyan', clip(stepOf(next, id), width - 4))}`)
    }
  }
  showNotes(answer, terminal)
}

type Step = Output<'findPath'>['paths'][number]['connections'][number]

const stepOf = (step: Step, id: string) =>
  `${step.source_id === id ? '↓' : '↑'} ${toldOf(step)}${reasonOf(step)}`

const toldOf = ({ relationship_type, strength, origin, ...held }: Step) =>
  `${relationship_type}${strength === null ? '' : ` ${figureOf(strength)}`}, ${origin}${whenOf(held)}`

const whenOf = ({ valid_from: from, valid_until: until }: Pick<Step, 'valid_from' | 'valid_until'>) =>
  `${from === null ? '' : `, from ${from}`}${until === null ? '' : `, until ${until}`}`

const reasonOf = ({ reason }: Step) => (reason === null ? '' : `: ${reason}`)

export const connect = operation('createConnection', {
  words: ends,
  details: [
    'If the same source, target and type are already connected, that connection stays, and gets the strength and the',
    'reason that you name. --valid-from or --valid-until replace both times. A discovered connection becomes asserted.',
  ].join(' '),
  examples: [
    `connect ${AN_ID} ${ANOTHER_ID} --type supports --strength 0.9`,
    `connect ${AN_ID} ${ANOTHER_ID} --type part_of --valid-until 2027-01-01 --reason "The contract says so"`,
  ],
  done: ({ source_id, connection }) =>
    `Connected: ${source_id} ${connection.relationship_type} ${connection.target_id}.`,
})

export const disconnect = operation('deleteConnection', {
  words: ends,
  details: 'Connections in the other direction stay.',
  done: ({ deleted }) => `Removed ${deleted} connections.`,
})

export const connections = operation('listConnections', {
  details: 'With --cursor, a connection that is there the whole time appears exactly once.',
  examples: ['connections --origin discovered', `connections --source-id ${AN_ID} --type supports`],
  columns: [
    {
      SOURCE: 'source_id',
      TYPE: ({ connection }) => connection.relationship_type,
      STRENGTH: ({ connection }) => connection.strength,
      ORIGIN: ({ connection }) => connection.origin,
      TARGET: ({ connection }) => connection.target_id,
    },
  ],
  none: 'No connections.',
})

export const stats = operation('getStats', {
  examples: ['stats', 'stats --json'],
  show({ memories, connections: counts, queue }, { say, paint }) {
    const line = (name: string, value: string) => say(`${paint('bold', name.padEnd(12))}  ${value}`)
    const sums = (each: object) => sumsOf(each) || '0'
    line('memories', sums(memories.by_state))
    line('policies', sums(memories.by_policy))
    line('connections', `${sums(counts.by_origin)} (${sums(counts.by_type)})`)
    line('queue', `${queue.depth} waiting, ${queue.failed} failed`)
    const { embeddings_pending: missing, embeddings_failed: failed } = memories
    if (missing > failed) line('embeddings', `${missing - failed} still to be made`)
    if (failed > 0) line('embeddings', `${failed} cannot be made; \`mnemograph jobs\` says why`)
  },
})

export const insights = operation('getInsights', {
  examples: ['insights --days 30'],
  columns: [{ DAY: 'date' }, 'created', 'archived'],
  none: 'No days.',
})
