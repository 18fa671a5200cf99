import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import { normalize } from './normalize.ts'
import { timestamp } from './times.ts'

export { timestamp }

/** Values that several resources share. The schemas never coerce: an API that only has text reads it first. */

export const id = z
  .string()
  .regex(
    /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$/,
    'must be a UUID',
  )
  .toLowerCase()
  .meta({ format: 'uuid', examples: ['01a1f83d-50ec-7c3e-8a6c-2f9d4b71e803'] })

export const tenantName = z
  .string()
  .regex(/^[a-z0-9_-]{1,64}$/, 'must be 1 to 64 characters of a-z, 0-9, _ and -')
  .meta({ examples: ['platform-team'] })

/** A tenant, or the private memories of one of its owners. */
export const tenantOrPrivate = z
  .string()
  .regex(
    /^[a-z0-9_-]{1,64}(?:~[a-z0-9_-]{1,64})?$/,
    'must be 1 to 64 characters of a-z, 0-9, _ and -, or private memories such as platform-team~anna',
  )
  .meta({ examples: ['platform-team', 'platform-team~anna'] })

export const ownerName = z
  .string()
  .regex(/^[a-z0-9_-]{1,64}$/, 'must be 1 to 64 characters of a-z, 0-9, _ and -')
  .meta({ examples: ['anna'] })

/** Where a key that is bound to an owner stores something. */
export const visibility = closedSet('Visibility')
  .optional()
  .describe(
    'Who sees it: the owner of the key, or the tenant. `private` is the default of a key with an owner.',
  )

export const limit = (fallback: number, maximum: number) =>
  z.int().min(1).max(maximum).default(fallback).describe(`How many to return; ${maximum} is the maximum.`)

/** A number without a negative zero, which the graph would sort below 0. */
export const real = () => z.number().overwrite(value => value + 0)

export const fraction = real()
  .min(0)
  .max(1)
  .meta({ examples: [0.8] })

const maximumContentBytes = 100_000

/** For JSON Schema only: at least one character that is not white space, and no NUL. */
const notBlank = '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$'

export const content = text()
  .refine(value => value.trim() !== '', { error: 'must not be blank', abort: true })
  .refine(
    value => utf8Length(value) <= maximumContentBytes,
    `must be at most ${maximumContentBytes} bytes of UTF-8`,
  )
  .meta({ minLength: 1, maxLength: maximumContentBytes, pattern: notBlank })
  .describe(`The text to remember, 1 to ${maximumContentBytes} bytes of UTF-8.`)

export const LONGEST_QUERY = 10_000
export const LONGEST_QUESTION = 100_000

export const query = text()
  .max(LONGEST_QUERY)
  .refine(value => value.trim() !== '', 'must not be blank')
  .meta({ minLength: 1, pattern: notBlank })
  .describe('The text to search for. No character has a special meaning.')

/** The whole of a prompt may be a question. What is longer is no question but a document. */
export const question = text()
  .max(LONGEST_QUESTION)
  .refine(value => value.trim() !== '', 'must not be blank')
  .meta({ minLength: 1, pattern: notBlank })
  .describe('The question, or a whole prompt: a long text is searched by its parts.')

const tag = composedText()
  .trim()
  .refine(value => value !== '', { error: 'must not be blank', abort: true })
  .refine(value => codePoints(value) <= 100, 'must be at most 100 characters')
  .meta({ minLength: 1, maxLength: 100, pattern: notBlank, examples: ['checkout'] })

export const MOST_TAGS = 50

export const tags = z
  .array(tag)
  .max(MOST_TAGS)
  .transform(values => [...new Set(values)])
  .describe('Up to 50 tags of 1 to 100 characters. The service trims tags and drops duplicates.')

export const tagsMatch = closedSet('TagsMatch').describe(
  'Whether a memory must have all of `tags`, any of them, or none of them.',
)

const line = (most: number) =>
  composedText()
    .trim()
    .refine(value => value !== '', { error: 'must not be blank', abort: true })
    .refine(value => codePoints(value) <= most, `must be at most ${most} characters`)
    .meta({ minLength: 1, maxLength: most, pattern: notBlank })

export const source = line(2_048)
  .meta({ examples: ['https://wiki.example/runbooks/checkout'] })
  .describe('Where the memory comes from: a URI, a path or a name, 1 to 2048 characters.')

export const sessionId = line(200)
  .meta({ examples: ['chat-2026-11-20'] })
  .describe('The conversation, document or run that the memory belongs to, 1 to 200 characters.')

/** The service makes them; a bundle carries them. */
export const communityId = line(40)

export const speaker = line(200)
  .meta({ examples: ['Ada'] })
  .describe('Who said it: a person, a role such as user, or an agent, 1 to 200 characters.')

export const memoryKind = z
  .string()
  .regex(/^[a-z0-9_-]{1,64}$/, 'must be 1 to 64 characters of a-z, 0-9, _ and -')
  .meta({ examples: ['decision'] })
  .describe(
    'What sort of memory it is, for example fact, preference, decision, task or event: 1 to 64 characters of a-z, 0-9, _ and -.',
  )

const metadataText = composedText()
  .refine(value => codePoints(value) <= 500, 'must be at most 500 characters')
  .meta({ maxLength: 500 })

export const MOST_KEYS = 32

export const metadata = z
  .record(
    z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 characters of A-Z, a-z, 0-9, _, . and -'),
    z.union([metadataText, real(), z.boolean()], 'must be a text, a number, true or false: metadata is flat'),
  )
  .refine(value => Object.keys(value).length <= MOST_KEYS, `must have at most ${MOST_KEYS} keys`)
  .meta({ maxProperties: MOST_KEYS, examples: [{ user_id: 'ada', line: 12, reviewed: true }] })
  .describe(
    'A flat object of up to 32 keys. Values are strings of up to 500 characters, numbers or booleans.',
  )

export type Metadata = z.infer<typeof metadata>

/** Why two memories are connected. */
export const connectionReason = line(1_000).meta({ examples: ['The incident review says so.'] })

export const validFrom = timestamp.describe('From when on the content holds.')
export const validUntil = timestamp.describe('Until when the content holds, exclusive.')

/** Whether a validity is empty: the graph keeps milliseconds. */
export const isEmptySpan = (from: string | null | undefined, until: string | null | undefined): boolean =>
  typeof from === 'string' && typeof until === 'string' && Date.parse(until) <= Date.parse(from)

export const emptySpan = { path: ['valid_until'], error: 'must be later than valid_from' }

/** Well-formed text without NUL, which the graph returns unchanged. */
export function text() {
  return z
    .string()
    .refine(value => value.isWellFormed(), { error: 'must not contain lone surrogates', abort: true })
    .refine(value => !value.includes('\0'), { error: 'must not contain NUL', abort: true })
}

/** Text by which memories are found, in one form however it is typed: macOS writes letters and their accents apart. */
export function composedText() {
  return text().overwrite(value => normalize(value, 'NFC'))
}

const utf8 = new TextEncoder()
const utf8Length = (value: string) => utf8.encode(value).length
const codePoints = (value: string) => Array.from(value).length

export const policy = z
  .string()
  .min(1)
  .max(64)
  .meta({ examples: ['long_term'] })
  .describe('How long the memory lasts: `short_term`, `long_term`, `pinned`, or a policy of the tenant.')
