import type { Output } from '../../contract/index.ts'
import { callCommand } from '../shell/call.ts'
import { given, numberOf, oneOf, UsageError } from '../shell/command.ts'
import { filterOptions, filtersOf } from '../shell/filters.ts'
import { figureOf, showMemory } from '../shell/show.ts'
import type { Terminal } from '../shell/terminal.ts'

const TYPES = ['semantic', 'keyword', 'hybrid'] as const

export const search = callCommand({
  words: 'TEXT',
  summary: 'Find memories by meaning, by words, or by both',
  details:
    'Each result shows its relevance, 0 to 1. Words in double quotes are found exactly as you write them, by keyword.',
  examples: [
    'search "what must pass before a deployment?"',
    'search \'"load test"\' --type keyword --tags checkout',
  ],
  options: {
    type: { value: 'TYPE', short: 'T', describe: 'semantic, keyword or hybrid (default: hybrid)' },
    limit: { value: 'N', short: 'n', describe: 'At most this many (default: 10)' },
    'min-score': { value: 'X', describe: 'Leave out what scores less' },
    'min-relevance': { value: 'X', describe: 'Leave out what is less relevant, 0 to 1' },
    cursor: { value: 'CURSOR', describe: 'Continue a search; the note at its end has the cursor' },
    ...filterOptions,
  },
  call({ values, words }) {
    if (words.length === 0) throw new UsageError('Say what to look for')
    const input = {
      query: words.join(' '),
      by_parts: true,
      search_type: oneOf(TYPES, values.type, '--type') ?? 'hybrid',
      limit: numberOf(values.limit, '--limit') ?? 10,
      ...filtersOf(values),
      ...given({
        cursor: values.cursor,
        min_score: numberOf(values['min-score'], '--min-score'),
        min_relevance: numberOf(values['min-relevance'], '--min-relevance'),
      }),
    }
    return (client, options) => client.searchMemories(input, options)
  },
  show: showResults,
})

export const BY_PARTS = 'The question is long: its parts were searched for.'

/** The results with their relevance; those of a hybrid search name the half that found them. */
export function showResults(
  { results, has_more, next_cursor, truncated, degraded, parts }: Output<'searchMemories'>,
  terminal: Terminal,
) {
  if (results.length === 0) terminal.say('Nothing found.')
  for (const { memory, relevance, sources } of results) {
    const found = Object.entries(sources).flatMap(([name, source]) =>
      source ? [`${name} ${source.rank}.`] : [],
    )
    terminal.say(showMemory(terminal, figureOf(relevance), memory, found.length > 1 ? found.join(', ') : ''))
  }
  if (has_more)
    terminal.note(next_cursor ? `There is more: --cursor ${next_cursor}` : 'There is more; --limit shows it.')
  if (parts.length > 0) terminal.note(BY_PARTS)
  if (truncated) terminal.note('The search ended at the bound on its work: something may be missing.')
  if (degraded) terminal.note('By words alone: the embedding provider gives no vector.')
}
