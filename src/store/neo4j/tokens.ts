import { hash } from 'node:crypto'
import type { Metadata } from '../../contract/values.ts'
import { indexedWords } from '../../platform/text/words.ts'
import { END_OF_TIME, int } from './statements.ts'

/**
 * Single words that stand for a tenant, a tag, a policy, a source, a session, a kind or an entry of the metadata in the full-text index, where they filter without
 * counting in the score. Hashed, because an analyser would take names apart.
 */
export const scopeToken = (tenant: string, state: 'active' | 'archived') =>
  token(state === 'active' ? 's' : 'z', tenant)
export const tagToken = (tag: string) => token('k', tag)
export const policyToken = (policy: string) => token('p', policy)
export const sourceToken = (source: string) => token('o', source)
export const sessionToken = (session: string) => token('n', session)
export const kindToken = (kind: string) => token('d', kind)
/** One for each entry, in which the text "1" is not the number 1. */
export const metadataTokens = (metadata: Metadata) =>
  Object.entries(metadata).map(entry => token('m', JSON.stringify(entry)))

const token = (kind: string, value: string) => kind + hash('sha256', value).slice(0, 24)

/** `liveUntil` of a memory without a time limit, in milliseconds. */
export const FOREVER = int(END_OF_TIME)

/** `liveUntil` of a memory that was superseded: long over, and apart from what was archived for another reason. */
const SUPERSEDED = 1

/**
 * Until when searches find a memory `m`, in milliseconds: an archived one is not live at all. The vector index tests
 * it instead of the state, which would cost a search of a large tenant half as much again.
 */
export const liveUntil = (m: string) =>
  `CASE WHEN ${m}.state = 'active' THEN coalesce(${m}.expiresAt.epochMillis, ${FOREVER})
    WHEN ${m}.archivedReason = 'superseded' THEN ${SUPERSEDED} ELSE 0 END`

/** The same of a memory whose state is known; times in milliseconds. */
export function liveUntilOf({ state, archivedReason, expiresAt }: Living) {
  if (state === 'active') return expiresAt === null ? FOREVER : int(expiresAt)
  return int(archivedReason === 'superseded' ? SUPERSEDED : 0)
}

type Living = {
  readonly state: string
  readonly archivedReason: string | null
  readonly expiresAt: number | null
}

/** Whether a memory `m` is active and within its time limit. */
export const live = (m: string) => `${m}.liveUntil > timestamp()`

/**
 * Whether a memory `m` is live, or at the time of a filter, if it has one, was not superseded yet. No OR: Neo4j would look
 * the memory up once for each side.
 */
export const liveAt = (m: string) =>
  `CASE ${m}.liveUntil WHEN ${SUPERSEDED} THEN ${m}.archivedAt > $filter.validAt ELSE ${live(m)} END`

/** Whether a memory `m` is shown where archived ones are: an active one only within its time limit. */
export const liveOrArchived = (m: string) => `CASE ${m}.state WHEN 'archived' THEN true ELSE ${live(m)} END`

/** When memories must hold; a time is in milliseconds. */
export type Validity = number | 'now' | 'any'

/** Whether what a memory or a connection `m` says holds at a time. */
export const valid = (m: string, at: string) =>
  `(coalesce(${m}.validFrom <= ${at}, true) AND coalesce(${m}.validUntil > ${at}, true))`

/** Whether it holds now. */
export const holdsNow = (m: string) => valid(m, "datetime.transaction('Z')")

export const policyProperties = (policy: string) => ({ policy, policyKey: policyToken(policy) })

type Keyed = {
  content?: string | undefined
  policy?: string | undefined
  tags?: readonly string[] | undefined
  source?: string | null | undefined
  session_id?: string | null | undefined
  kind?: string | null | undefined
  metadata?: Metadata | undefined
}

/** The tokens of the fields that are given, as properties. */
export function keyProperties({ content, policy, tags, source, session_id, kind, metadata }: Keyed) {
  return {
    ...(content === undefined ? {} : textProperties(content)),
    ...(policy === undefined ? {} : { policyKey: policyToken(policy) }),
    ...(tags === undefined ? {} : { tagKeys: tags.map(tagToken) }),
    ...(source === undefined ? {} : { sourceKey: source && sourceToken(source) }),
    ...(session_id === undefined ? {} : { sessionKey: session_id && sessionToken(session_id) }),
    ...(kind === undefined ? {} : { kindKey: kind && kindToken(kind) }),
    ...(metadata === undefined ? {} : { metadataKeys: metadataTokens(metadata) }),
  }
}

/** What follows from a content: how it is recognised, and its words as the full-text index reads them. */
export const textProperties = (content: string) => ({
  textDigest: textDigest(content),
  words: indexedWords(content),
})

/** The same for texts that differ in white space at the ends of lines and of the text, and in repeated spaces, alone. */
export const textDigest = (content: string) =>
  hash('sha256', content.trim().split('\n').map(foldSpaces).join('\n'), 'base64url')

/** Keeps the indentation, which can have a meaning. */
const foldSpaces = (line: string) => line.trimEnd().replaceAll(/(?<=\S)\s+/g, ' ')
