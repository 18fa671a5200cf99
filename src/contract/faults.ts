import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** What is wrong with a field, what was expected and what to do, as a sentence. */
export function messageOf(issue: Issue): string {
  const name = issue.path.length === 0 ? 'The request' : `\`${nameOf(issue.path)}\``
  if (isMissing(issue)) return `${name} is required. ${remedyOf(issue)}`
  return `${name} ${ruleOf(issue)}.`
}

/** What is said of an unknown field. */
export const unknownField = (path: readonly PropertyKey[]) =>
  `\`${nameOf(path)}\` is not a field of this request. Check the spelling.`

const nameOf = (path: readonly PropertyKey[]): string =>
  path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${String(part)}`))
    .join('')

const isMissing = (issue: Issue) =>
  (issue.code === 'invalid_type' || issue.code === 'invalid_value') && issue.input === undefined

function remedyOf(issue: Issue): string {
  if (issue.code === 'invalid_value') return `Use one of: ${issue.values.join(', ')}.`
  if (issue.path.at(-1) === 'policy')
    return 'Use one of: short_term, long_term, pinned, or a policy of the tenant.'
  return issue.code === 'invalid_type' ? `Send ${kindOf(issue.expected)}.` : ''
}

function ruleOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kindOf(issue.expected)}`
    case 'invalid_value':
      return `must be one of: ${issue.values.join(', ')}`
    case 'too_small':
      return `must ${hasOrIs(issue.origin)} at least ${issue.minimum}${unitOf(issue.origin)}`
    case 'too_big':
      return `must ${hasOrIs(issue.origin)} at most ${issue.maximum}${unitOf(issue.origin)}`
    default:
      return issue.message.startsWith('Invalid') ? 'has the wrong format' : issue.message
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
}

const kindOf = (expected: string) => kinds[expected] ?? `of type ${expected}`
const hasOrIs = (origin: string) => (unitOf(origin) ? 'have' : 'be')
const unitOf = (origin: string) => ({ string: ' characters', array: ' items' })[origin] ?? ''
