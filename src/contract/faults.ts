import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** What is wrong with a field, what was expected and what to do, as a sentence. */
export const messageOf = (issue: Issue): string => sentence(issue.path, ruleOf(issue))

/** A sentence about the field at a path: `rule` says what is wrong or expected, without the final period. */
export const sentence = (path: readonly PropertyKey[], rule: string): string =>
  `${path.length === 0 ? 'The request' : `\`${fieldName(path)}\``} ${rule}${rule.endsWith('?') ? '' : '.'}`

/** A path as it is written in JavaScript, such as `memories[0].policy`. */
export const fieldName = (path: readonly PropertyKey[]): string =>
  path
    .map((part, at) =>
      /^\d+$/.test(String(part)) ? `[${String(part)}]` : `${at === 0 ? '' : '.'}${String(part)}`,
    )
    .join('')

/** Stands for the names of a tenant, which a schema does not know. */
export const ANY_POLICY = 'short_term, long_term, pinned, or a policy of the tenant'

const isMissing = (issue: Issue) =>
  (issue.code === 'invalid_type' || issue.code === 'invalid_value') && issue.input === undefined

function remedyOf(issue: Issue): string {
  if (issue.code === 'invalid_value') return `Use one of: ${issue.values.join(', ')}`
  if (issue.path.at(-1) === 'policy') return `Use one of: ${ANY_POLICY}`
  return issue.code === 'invalid_type' ? `Send ${kindOf(issue.expected)}` : ''
}

/** What is wrong with a field or expected of it, as the end of a sentence. */
export function ruleOf(issue: Issue): string {
  if (isMissing(issue)) return `is required. ${remedyOf(issue)}`
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kindOf(issue.expected)}`
    case 'invalid_value':
      return `must be one of: ${issue.values.join(', ')}`
    case 'too_small':
      return `must ${hasOrIs(issue.origin)} at least ${issue.minimum}${unitOf(issue.origin)}`
    case 'too_big':
      return `must ${hasOrIs(issue.origin)} at most ${issue.maximum}${unitOf(issue.origin)}`
    case 'invalid_key':
      return `is a name that ${issue.issues[0] ? ruleOf(issue.issues[0]) : 'is not allowed'}`
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`
    default:
      return issue.message.startsWith('Invalid') ? 'has the wrong format' : issue.message
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list, such as ["a", "b"]',
  object: 'an object of fields, such as {"name": "value"}',
  record: 'an object of names and values, such as {"name": "value"}',
}

const kindOf = (expected: string) => kinds[expected] ?? `of type ${expected}`
const hasOrIs = (origin: string) => (unitOf(origin) ? 'have' : 'be')
const unitOf = (origin: string) => ({ string: ' characters', array: ' items' })[origin] ?? ''
