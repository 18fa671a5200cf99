import type { Output } from '../../contract/index.ts'
import { whenSaid } from '../../contract/memory-heading.ts'
import type { NearTurn } from '../../contract/search.ts'
import { AN_ID } from '../shell/command.ts'
import { figureOf, showMemory } from '../shell/show.ts'
import { oneLine, printable, shortTime } from '../shell/table.ts'
import type { Terminal } from '../shell/terminal.ts'
import { memoryId, operation } from './operation.ts'
import { cellOf, showNotes } from './show.ts'

const someIds = { field: 'id', as: 'ID', means: 'Name at least one memory by its id' }

export const list = operation('listMemories', {
  aliases: ['ls'],
  examples: [
    'list --tags checkout --limit 50',
    'list --order-by health --order asc',
    'list --state archived --kind decision',
  ],
  rows: {
    of: 'memories',
    none: 'No memories.',
    columns: {
      ID: 'id',
      POLICY: 'policy',
      HEALTH: ({ health }) => Math.round(health),
      SAID: whenSaid,
      CONTENT: 'content',
    },
  },
  switches: { ascending: { describe: 'The lowest first, like --order asc', sets: { order: 'asc' } } },
})

export const search = operation('searchMemories', {
  text: { field: 'query', as: 'TEXT', means: 'Say what to look for' },
  examples: [
    'search "what must pass before a deployment?"',
    'search \'"load test"\' --type keyword --tags checkout',
    'search "where did we leave the key?" --around 2',
  ],
  defaults: { search_type: 'hybrid', limit: 10, by_parts: true, min_relevance: 'auto' },
  show: showResults,
})

/** The results with their relevance; those of a hybrid search name the half that found them. */
export function showResults(answer: Output<'searchMemories'>, terminal: Terminal) {
  if (answer.results.length === 0) terminal.say('Nothing found.')
  for (const { memory, relevance, sources, newer, around } of answer.results) {
    const found = Object.entries(sources).flatMap(([name, source]) =>
      source ? [`${name} ${source.rank}.`] : [],
    )
    const remarks = [...(found.length > 1 ? found : []), ...newer.slice(0, 1).map(id => `newer: ${id}`)]
    terminal.say(showMemory(terminal, figureOf(relevance), memory, remarks.join(', ')))
    for (const turn of around) terminal.say(showMemory(terminal, placeOf(turn), turn.memory))
  }
  showNotes(answer, terminal)
}

const placeOf = ({ offset }: NearTurn) => (offset < 0 ? `${offset}` : `+${offset}`)

export const context = operation('composeContext', {
  text: { field: 'query', as: 'QUESTION', means: 'Ask a question', isOptional: true },
  details: 'Each memory in the text counts as recalled, which keeps it alive, unless you use --no-recall.',
  examples: ['context "May I deploy checkout today?" --max-tokens 500', 'context --meta project=checkout'],
  show({ text, tokens, sources, left_out, sensitive_left_out, ...rest }, terminal) {
    terminal.say(printable(text))
    terminal.note(`${sources.length} memories, about ${tokens} tokens; ${left_out} did not fit.`)
    if (sensitive_left_out > 0) terminal.note(`${sensitive_left_out} with secrets are not shown.`)
    showNotes({ ...rest, truncated: false }, terminal)
  },
})

export const show = operation('getMemory', {
  words: [memoryId],
  aliases: ['get'],
  examples: [`show ${AN_ID}`],
  fixed: { include_fades_at: true },
  defaults: { record_recall: false },
  show: showAll,
})

function showAll(memory: Output<'getMemory'>, terminal: Terminal) {
  const { embedding, expires_at, fades_at } = memory
  const { valid_from, valid_until } = memory
  const holds = [
    ...(valid_from ? [`from ${shortTime(valid_from)}`] : []),
    ...(valid_until ? [`until ${shortTime(valid_until)}`] : []),
  ]
  const archived = [shortTime(memory.archived_at), memory.archived_reason].filter(Boolean).join(', ')
  const rows: [string, unknown][] = [
    ['id', memory.id],
    ['state', `${memory.state}, version ${memory.version}`],
    ...(memory.archived_at ? [['archived', archived] as [string, unknown]] : []),
    ['policy', `${memory.policy}, ${expires_at ? `until ${shortTime(expires_at)}` : 'no time limit'}`],
    ['tags', memory.tags],
    ['importance', memory.importance],
    ['source', memory.source],
    ['session', memory.session_id],
    ['speaker', memory.speaker],
    ['owner', memory.owner],
    ...(holds.length > 0 ? [['valid', holds.join(' ')] as [string, unknown]] : []),
    ['kind', memory.kind],
    ['secrets', memory.sensitive],
    ['metadata', pairs(memory.metadata)],
    [
      'health',
      `${Math.round(memory.health)}${fades_at ? `, fades on ${shortTime(fades_at)} if nobody recalls it` : ''}`,
    ],
    ['recalls', `${memory.recall_count}, last ${shortTime(memory.last_recalled_at)}`],
    ['created', memory.created_at],
    ['updated', memory.updated_at],
    [
      'embedding',
      `${embedding.status}, ${embedding.model}${embedding.truncated ? ', of the beginning' : ''}`,
    ],
  ]
  for (const [name, value] of rows)
    terminal.say(`${terminal.paint('bold', name.padEnd(10))}  ${cellOf(value)}`)
  terminal.say()
  terminal.say(printable(memory.content))
}

const pairs = (metadata: Record<string, unknown>) =>
  Object.entries(metadata).map(([name, value]) => `${name}=${value}`)

export const turns = operation('addTurns', {
  words: [{ field: 'session_id', as: 'SESSION', means: 'one session' }],
  examples: [
    `turns chat-2026-11-20 --turns '{"speaker":"Ada","text":"May I deploy?","time":"2026-11-20T09:15:30Z"}'`,
  ],
  show({ turns, stored }, { say, note }) {
    for (const { id } of turns) say(id)
    note(`Stored ${stored} of ${turns.length} turns.`)
  },
})

export const extract = operation('extractFacts', {
  words: [{ field: 'session_id', as: 'SESSION', means: 'one session' }],
  examples: ['extract chat-2026-11-20', 'extract chat-2026-11-20 --repeat'],
  show: ({ turns, job_id }, { note }) => note(`The job ${job_id} reads ${turns} turns.`),
})

export const history = operation('getMemoryHistory', {
  words: [memoryId],
  examples: [`history ${AN_ID}`],
  rows: {
    of: 'versions',
    none: 'No versions.',
    columns: {
      VERSION: 'version',
      SINCE: 'at',
      BY: 'author',
      CHANGED: 'changed',
      CONTENT: ({ reason, memory }) =>
        oneLine(reason === null ? memory.content : `(${reason}) ${memory.content}`),
    },
  },
})

export const revert = operation('revertMemory', {
  words: [memoryId, { field: 'version', as: 'VERSION', means: 'a version of it' }],
  examples: [`revert ${AN_ID} 2`],
  show: ({ id, version }, { note }) => note(`${id} is as it was, as version ${version}.`),
})

export const archive = operation('deleteMemory', {
  each: someIds,
  summary: 'Archive memories: searches and walks no longer find them',
  details: 'To have them back, use restore.',
  examples: [`archive ${AN_ID}`],
  fixed: { hard: false },
  show: ({ id }, { note }) => note(`Archived ${id}. Take it back: mnemograph restore ${id}`),
})

export const restoreCommand = operation('restoreMemory', {
  each: someIds,
  examples: [`restore ${AN_ID}`],
  show({ id, state, valid_until }, { note }) {
    note(`${id} is ${state}.`)
    if (valid_until !== null && Date.parse(valid_until) <= Date.now())
      note(`It held until ${valid_until}. To have it found: mnemograph edit ${id} --clear valid-until`)
  },
})

export const deleteCommand = operation('deleteMemory', {
  each: someIds,
  aliases: ['rm'],
  summary: 'Remove memories for good, with their connections and history',
  details: 'You cannot undo it. To be able to, use archive.',
  examples: [`delete ${AN_ID} --yes`],
  fixed: { hard: true },
  confirm: 'Nothing was removed. Removing cannot be undone: repeat with --yes',
  show: ({ id }, { note }) => note(`Removed ${id}.`),
})

const listing = (name: string, of: 'listTags' | 'listSources' | 'listSessions' | 'listKinds') =>
  operation(of, {
    optional: { field: 'prefix', as: 'PREFIX', means: 'one beginning' },
    examples: [name, `${name} check --limit 10`],
    rows: { of: 'values', none: `No ${name}.`, columns: { COUNT: 'count', VALUE: 'value' } },
  })

export const tagsCommand = listing('tags', 'listTags')
export const sources = listing('sources', 'listSources')
export const sessions = listing('sessions', 'listSessions')
export const kindsCommand = listing('kinds', 'listKinds')
