import type { Output } from '../../contract/index.ts'
import { whenSaid } from '../../contract/memory-heading.ts'
import type { NearTurn } from '../../contract/search.ts'
import { AN_ID } from '../shell/command.ts'
import { figureOf, showMemory } from '../shell/show.ts'
import { printable, shortTime } from '../shell/table.ts'
import type { Terminal } from '../shell/terminal.ts'
import { operation } from './operation.ts'
import { showFields, showNotes } from './show.ts'

const someIds = ['id', 'ID…', 'at least one memory by its id'] as const

const listing = (name: string, of: 'listTags' | 'listSources' | 'listSessions' | 'listKinds') =>
  operation(of, {
    words: [['prefix', '[PREFIX]', 'one beginning']],
    details: [
      'Ties are in alphabetical order. With --cursor, a value that is there the whole time appears exactly once,',
      'and after the first 1,000 values the order is alphabetical.',
    ].join(' '),
    examples: [name, `${name} check --limit 10`],
    columns: ['count', 'value'],
    none: `No ${name}.`,
  })

export const memoryCommands = {
  list: operation('listMemories', {
    aliases: ['ls'],
    details: [
      'If there is more, the command names the --cursor of the next page. The pages contain a memory exactly once',
      'if it matches the whole time and the field that you order by does not change. With --as-of, order by created_at.',
    ].join(' '),
    examples: [
      'list --tags checkout --limit 50',
      'list --order-by health --order asc',
      'list --state archived --kind decision',
    ],
    columns: ['id', 'policy', { HEALTH: ({ health }) => Math.round(health), SAID: whenSaid }, 'content'],
    none: 'No memories.',
    switches: { ascending: { describe: 'The lowest first, like --order asc', sets: { order: 'asc' } } },
  }),
  show: operation('getMemory', {
    aliases: ['get'],
    details: [
      'Nothing counts as a recall without --recall. With --as-of it shows the newest version recorded by then;',
      'health, recalls, community and embedding are always those of today.',
    ].join(' '),
    fixed: { include_fades_at: true },
    defaults: { record_recall: false },
    show: showAll,
  }),
  search: operation('searchMemories', {
    words: [['query', 'TEXT', 'Say what to look for']],
    isText: true,
    details: [
      'The figure before each result is its relevance, 0 to 1: how clearly it stands above chance. Put words in double',
      'quotes to find exactly these words in this order by keyword. With --as-of, use --type keyword: it finds what',
      'texts said then, among the last 10,000 memories created before it. docs/explanation/search.md explains scores.',
    ].join(' '),
    examples: [
      'search "what must pass before a deployment?"',
      'search \'"load test"\' --type keyword --tags checkout',
      'search "where did we leave the key?" --around 2',
    ],
    defaults: { search_type: 'hybrid', limit: 10, by_parts: true, min_relevance: 'auto' },
    show: showResults,
  }),
  context: operation('composeContext', {
    words: [['query', '[QUESTION]', '']],
    isText: true,
    details: 'Each memory in the text counts as recalled, which keeps it alive, unless you use --no-recall.',
    examples: ['context "May I deploy checkout today?" --max-tokens 500', 'context --meta project=checkout'],
    show({ text, tokens, sources, left_out, sensitive_left_out, ...rest }, terminal) {
      terminal.say(printable(text))
      terminal.note(`${sources.length} memories, about ${tokens} tokens; ${left_out} did not fit.`)
      if (sensitive_left_out > 0) terminal.note(`${sensitive_left_out} with secrets are not shown.`)
      showNotes({ ...rest, truncated: false }, terminal)
    },
  }),
  history: operation('getMemoryHistory', {
    columns: [
      'version',
      { SINCE: 'at', BY: 'author' },
      'changed',
      { CONTENT: ({ reason, memory }) => `${reason === null ? '' : `(${reason}) `}${memory.content}` },
    ],
    none: 'No versions.',
  }),
  revert: operation('revertMemory', {
    words: [['version', 'VERSION', 'a version of it']],
    examples: [`revert ${AN_ID} 2`],
    done: ({ id, version }) => `${id} is as it was, as version ${version}.`,
  }),
  archive: operation('deleteMemory', {
    words: [someIds],
    summary: 'Archive memories: searches and walks no longer find them',
    details: 'To have them back, use restore.',
    fixed: { hard: false },
    done: ({ id }) => `Archived ${id}. Take it back: mnemograph restore ${id}`,
  }),
  restore: operation('restoreMemory', {
    words: [someIds],
    show({ id, state, valid_until }, { note }) {
      note(`${id} is ${state}.`)
      if (valid_until !== null && Date.parse(valid_until) <= Date.now())
        note(`It held until ${valid_until}. To have it found: mnemograph edit ${id} --clear valid-until`)
    },
  }),
  delete: operation('deleteMemory', {
    words: [someIds],
    aliases: ['rm'],
    summary: 'Remove memories for good, with their connections and history',
    details: 'You cannot undo it. To be able to, use archive.',
    examples: [`delete ${AN_ID} --yes`],
    fixed: { hard: true },
    confirm: 'Nothing was removed. Removing cannot be undone: repeat with --yes',
    done: ({ id }) => `Removed ${id}.`,
  }),
  tags: listing('tags', 'listTags'),
  sources: listing('sources', 'listSources'),
  sessions: listing('sessions', 'listSessions'),
  kinds: listing('kinds', 'listKinds'),
  turns: operation('addTurns', {
    examples: [
      `turns chat-2026-11-20 --turns '{"speaker":"Ada","text":"May I deploy?","time":"2026-11-20T09:15:30Z"}'`,
    ],
    show({ turns, stored }, { say, note }) {
      for (const { id } of turns) say(id)
      note(`Stored ${stored} of ${turns.length} turns.`)
    },
  }),
  extract: operation('extractFacts', {
    details: [
      'Queues a job, as turns does if there is a chat model. The job stores each fact as a memory that is derived_from',
      'its turns, and records a run, which maintain undo takes back. Facts that are stored already are not stored again.',
    ].join(' '),
    examples: ['extract chat-2026-11-20', 'extract chat-2026-11-20 --repeat'],
    done: ({ turns, job_id }) => `The job ${job_id} reads ${turns} turns.`,
  }),
}

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

function showAll(memory: Output<'getMemory'>, terminal: Terminal) {
  const { embedding, expires_at, fades_at, archived_at, valid_from, valid_until } = memory
  const valid = [
    valid_from && `from ${shortTime(valid_from)}`,
    valid_until && `until ${shortTime(valid_until)}`,
  ]
  const fades = fades_at ? `, fades on ${shortTime(fades_at)} if nobody recalls it` : ''
  const fields = {
    id: memory.id,
    state: `${memory.state}, version ${memory.version}`,
    ...(archived_at && {
      archived: [shortTime(archived_at), memory.archived_reason].filter(Boolean).join(', '),
    }),
    policy: `${memory.policy}, ${expires_at ? `until ${shortTime(expires_at)}` : 'no time limit'}`,
    tags: memory.tags,
    importance: memory.importance,
    source: memory.source,
    session: memory.session_id,
    speaker: memory.speaker,
    owner: memory.owner,
    ...(valid.some(Boolean) && { valid: valid.filter(Boolean).join(' ') }),
    kind: memory.kind,
    secrets: memory.sensitive,
    metadata: Object.entries(memory.metadata).map(([name, value]) => `${name}=${value}`),
    health: `${Math.round(memory.health)}${fades}`,
    recalls: `${memory.recall_count}, last ${shortTime(memory.last_recalled_at)}`,
    created: memory.created_at,
    updated: memory.updated_at,
    embedding: `${embedding.status}, ${embedding.model}${embedding.truncated ? ', of the beginning' : ''}`,
  }
  showFields(fields, terminal)
  terminal.say()
  terminal.say(printable(memory.content))
}
