import type { Output } from '../contract/index.ts'
import { command, given, type Invocation, listOf, numberOf, oneOf, UsageError } from './shell/command.ts'
import { connectClient, connectionOptions } from './shell/connect.ts'
import { figureOf, showMemory } from './shell/show.ts'
import type { Terminal } from './shell/terminal.ts'

const TYPES = ['semantic', 'keyword', 'hybrid'] as const

const options = {
  type: { value: 'TYPE', describe: 'semantic, keyword or hybrid (default: hybrid)' },
  limit: { value: 'N', describe: 'At most this many (default: 10)' },
  tags: { value: 'A,B', describe: 'Only memories that have all of these' },
  policy: { value: 'NAME', describe: 'Only memories of this policy' },
  'min-score': { value: 'X', describe: 'Leave out what scores less' },
  ...connectionOptions,
}

export const search = command({
  usage: 'search TEXT',
  summary: 'Find memories by meaning, by words, or by both',
  options,
  run,
})

async function run({ values, words }: Invocation<typeof options>, terminal: Terminal) {
  if (words.length === 0) throw new UsageError('Say what to look for')
  const type = oneOf(TYPES, values.type, '--type') ?? 'hybrid'
  const client = await connectClient(values)
  const tags = listOf(values.tags)
  const answer = await client.searchMemories(
    {
      query: words.join(' '),
      search_type: type,
      limit: numberOf(values.limit, '--limit') ?? 10,
      ...given({
        tags: tags.length > 0 ? tags : undefined,
        policy: values.policy,
        min_score: numberOf(values['min-score'], '--min-score'),
      }),
    },
    { signal: terminal.signal },
  )
  if (values.json) terminal.json(answer)
  else showResults(answer, terminal)
  return undefined
}

/** The results with their relevance; those of a hybrid search name the half that found them. */
export function showResults(
  { results, has_more, truncated, degraded }: Output<'searchMemories'>,
  terminal: Terminal,
) {
  if (results.length === 0) terminal.say('Nothing found.')
  for (const { memory, relevance, sources } of results) {
    const found = Object.entries(sources).flatMap(([name, source]) =>
      source ? [`${name} ${source.rank}.`] : [],
    )
    terminal.say(showMemory(terminal, figureOf(relevance), memory, found.length > 1 ? found.join(', ') : ''))
  }
  if (has_more) terminal.note('There is more; --limit shows it.')
  if (truncated) terminal.note('The search ended at the bound on its work: something may be missing.')
  if (degraded) terminal.note('By words alone: the embedding provider gives no vector.')
}
