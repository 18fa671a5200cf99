import { passwords } from './passwords.ts'
import { isPlaceholder } from './placeholders.ts'
import type { Rule } from './rule.ts'

/** The name of a key before its value: in settings, code, JSON, headers and sentences. */
const NAMED_KEY =
  '(?:api[ _-]?key|access[_-]?key|secret[_-]?(?:access[_-]?)?key|client[_-]?secret|account[_-]?key|auth[_-]?token|access[_-]?token|signing[_-]?key)'
const BETWEEN = '["\'`*_]{0,3}\\s{0,3}(?::|：|=>?|\\bis\\b:?|\\bist\\b:?)\\s{0,3}["\'`*]{0,3}'

/** Secrets that stand next to what says that they are secrets. */
export const namedSecrets: readonly Rule[] = [
  {
    kind: 'credentials_in_url',
    pattern:
      /(?<![\w])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/?#"'<>]{0,100}:(?<value>[^\s:@/?#"'<>]{3,200})@[\w.-]/gi,
    holds: value => !isPlaceholder(value),
  },
  {
    kind: 'access_token',
    pattern:
      /\bauthorization["']?\s{0,2}[:=]\s{0,2}["']?(?:bearer|basic|token)\s{1,2}(?<value>[\w.~+/=-]{16,2000})/gi,
    holds: value => !isPlaceholder(value) && isMixed(value),
  },
  {
    kind: 'api_key',
    pattern: new RegExp(`${NAMED_KEY}${BETWEEN}(?<value>[\\w+/=.~-]{16,200})(?![\\w+/=.~(\\[-])`, 'gi'),
    holds: value => !isPlaceholder(value) && isMixed(value),
  },
  ...passwords,
]

/** A random text has letters and digits, and hardly a character often. */
const isMixed = (value: string) =>
  /[A-Za-z]/.test(value) && /\d/.test(value) && new Set(value).size >= Math.min(10, value.length / 2)
