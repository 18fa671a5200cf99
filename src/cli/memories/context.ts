import { callCommand } from '../shell/call.ts'
import { given, numberOf, UsageError } from '../shell/command.ts'
import { filterOptions, filtersOf } from '../shell/filters.ts'
import { printable } from '../shell/table.ts'
import { BY_PARTS } from './search.ts'

export const context = callCommand({
  words: 'QUESTION',
  summary: 'Compose a text of what is remembered about a question, for a prompt',
  details: 'Each memory in the text counts as recalled, which keeps it alive, unless you use --no-recall.',
  examples: ['context "May I deploy checkout today?" --max-tokens 500'],
  options: {
    'max-tokens': { value: 'N', describe: 'The budget of the text, 100 to 32000 (default: 2000)' },
    'no-recall': { describe: 'Do not count the memories as recalled' },
    ...filterOptions,
  },
  call({ values, words }) {
    if (words.length === 0) throw new UsageError('Ask a question')
    const input = {
      query: words.join(' '),
      ...filtersOf(values),
      ...given({
        max_tokens: numberOf(values['max-tokens'], '--max-tokens'),
        record_recall: values['no-recall'] ? false : undefined,
      }),
    }
    return (client, options) => client.composeContext(input, options)
  },
  show({ text, tokens, sources, left_out, degraded, parts }, { say, note }) {
    say(printable(text))
    note(`${sources.length} memories, about ${tokens} tokens; ${left_out} did not fit.`)
    if (parts.length > 0) note(BY_PARTS)
    if (degraded) note('By words alone: the embedding provider gives no vector.')
  },
})
