import type { Context, Space } from '../../context.ts'
import type { Clearable } from '../../contract/memory.ts'
import { ownVector } from '../../store/embeddings/vectors.ts'
import type { MemoryChange } from '../../store/memories/change.ts'
import { type GivenFields, namedProperties, propertiesOf } from '../../store/memories/fields.ts'
import { has, type MemoryState } from '../../store/memories/states.ts'
import { int, time } from '../../store/neo4j/statements.ts'
import { keyProperties, liveUntilOf, scopeToken, textProperties } from '../../store/neo4j/tokens.ts'

/** Why a memory is archived, in the words of the contract. */
export type ArchivedReason =
  | 'deleted'
  | 'expired'
  | 'faded'
  | 'forgotten'
  | 'merged'
  | 'superseded'
  | 'undone'

/** Why a rule refuses a change. */
export type MemoryRefusal = 'archived' | 'version_mismatch' | 'pinned_with_limit' | 'empty_span'

/** What becomes of a memory. */
export type KeylessChange = Omit<MemoryChange, 'tenant' | 'id'>

export type Decision = KeylessChange | { readonly refused: MemoryRefusal }

export const UNCHANGED: KeylessChange = { set: {}, recorded: null }

type Given = Omit<GivenFields, 'content' | 'ttl_seconds'>

export type MemoryUpdate = {
  readonly content?:
    | { text: string; embedding: { vector: Float32Array; truncated: boolean } | null }
    | undefined
  readonly ttlSeconds?: number | undefined
  /** All else that callers give; null takes a value away. */
  readonly given: Omit<Given, Clearable> & { readonly [Name in Clearable]?: Given[Name] | null }
  /** The kinds of secrets in the changed texts, and the places whose marks they replace. */
  readonly marks: { readonly found: readonly string[]; readonly places: readonly string[] }
  readonly reason?: string
}

/** An expired memory that gets a new limit is discovered again: what was written in the meantime did not find it. */
export function updated(
  state: MemoryState,
  update: MemoryUpdate,
  space: Space,
  author: string | null,
): Decision {
  const { content, ttlSeconds = state.ttlSeconds, given, reason = null } = update
  const { now, policy: before } = state
  const { policy = before, valid_from, valid_until } = given
  if (state.state === 'archived') return { refused: 'archived' }
  if (policy === 'pinned' && ttlSeconds > 0) return { refused: 'pinned_with_limit' }
  if (isEmpty(timeOr(valid_from, state.validFrom), timeOr(valid_until, state.validUntil)))
    return { refused: 'empty_span' }
  const text = content && !has(state, 'content', content.text) ? content : undefined
  const isRevived = update.ttlSeconds !== undefined && isExpired(state)
  return {
    set: {
      ...newVersion(state, author, reason),
      ...propertiesOf(given),
      ...keyProperties(given),
      ...(policy !== before && { maintainedAt: time(now) }),
      ...(given.importance !== undefined && { importanceSince: time(now) }),
      ...(update.ttlSeconds !== undefined && limitFrom(state, update.ttlSeconds)),
      ...(text && rewritten(state, text, space)),
      sensitive: marksOf(state, update.marks),
      ...((text || isRevived) && { discoveredRevision: null }),
    },
    recorded: 'updated',
    fields: changedFields(state, update),
    keepsVersion: true,
    vector: text?.embedding ? ownVector(state.tenant, state.id, text.embedding.vector) : null,
    discovers: text !== undefined || isRevived,
  }
}

function timeOr(given: string | null | undefined, present: number | null) {
  if (given === undefined) return present
  return given === null ? null : Date.parse(given)
}

const isEmpty = (from: number | null, until: number | null) =>
  from !== null && until !== null && from >= until

const isExpired = ({ expiresAt, now }: MemoryState) => expiresAt !== null && expiresAt <= now

function limitFrom(state: MemoryState, seconds: number) {
  const expiresAt = seconds > 0 ? state.now + 1_000 * seconds : null
  return {
    ttlSeconds: int(seconds),
    expiresAt: expiresAt && time(expiresAt),
    liveUntil: liveUntilOf({ ...state, expiresAt }),
  }
}

/** Its vectors, also those of other spaces, go with the text that they belong to. */
export const withoutVectors = ({ vectors }: MemoryState) =>
  Object.fromEntries(vectors.map(name => [name, null]))

const rewritten = (
  state: MemoryState,
  { text, embedding }: NonNullable<MemoryUpdate['content']>,
  space: Space,
) => ({
  ...withoutVectors(state),
  content: text,
  ...textProperties(text),
  revision: int(state.revision + 1),
  [space.truncated]: embedding?.truncated ?? null,
})

const marksOf = ({ sensitive }: MemoryState, { found, places }: MemoryUpdate['marks']) => [
  ...(sensitive ?? []).filter(
    mark => !places.includes(mark.includes(':') ? mark.slice(0, mark.indexOf(':')) : 'content'),
  ),
  ...found,
]

function changedFields(state: MemoryState, { content, given, ttlSeconds }: MemoryUpdate) {
  const named = [
    ...namedProperties(given),
    { name: 'content', property: 'content', value: content?.text },
    { name: 'ttl_seconds', property: 'ttlSeconds', value: ttlSeconds },
  ]
  return named
    .filter(({ property, value }) => value !== undefined && !has(state, property, value))
    .map(({ name }) => name)
}

type Why = {
  readonly archivedReason: ArchivedReason
  readonly author: string | null
  readonly reason?: string
}

/** One that is archived already stays as it is. */
export function archived(state: MemoryState, { archivedReason, author, reason }: Why): KeylessChange {
  if (state.state === 'archived') return UNCHANGED
  return {
    set: {
      ...newVersion(state, author, reason ?? null),
      ...livingAs(state, { state: 'archived', archivedReason }),
      archivedAt: time(state.now),
    },
    recorded: 'archived',
    keepsVersion: true,
  }
}

/**
 * Archived in favour of another one: an open validity ends when it was archived, by which a restore knows it. A validity that had
 * not begun stays open.
 */
export function superseded(
  state: MemoryState,
  by: { id: string; author: string | null; reason: string },
): KeylessChange {
  const decided = archived(state, { ...by, archivedReason: 'superseded' })
  if (decided === UNCHANGED) return decided
  const isOpen = state.validUntil === null && (state.validFrom === null || state.validFrom < state.now)
  const validUntil = isOpen && { validUntil: time(state.now) }
  return { ...decided, set: { ...decided.set, supersededBy: by.id, ...validUntil } }
}

/**
 * Active with full health. A time limit that had run out starts again, and a validity that a supersession had ended is
 * open again.
 */
export function restored(state: MemoryState, author: string | null): KeylessChange {
  if (state.state === 'active' && !isExpired(state)) return UNCHANGED
  const { now, archivedReason, archivedAt, validUntil, ttlSeconds } = state
  const isEnded = archivedReason === 'superseded' && validUntil === archivedAt
  return {
    set: {
      ...newVersion(state, author, null),
      ...livingAs(state, { state: 'active', archivedReason: null }),
      ...(isExpired(state) && limitFrom({ ...state, state: 'active' }, ttlSeconds)),
      ...(isEnded && { validUntil: null }),
      ...{ supersededBy: null, archivedAt: null, discoveredRevision: null },
      ...{ health: 100, maintainedAt: time(now) },
    },
    recorded: 'restored',
    keepsVersion: true,
    discovers: true,
  }
}

export const newVersion = ({ version, now }: MemoryState, author: string | null, reason: string | null) => ({
  version: int(version + 1),
  updatedAt: time(now),
  author,
  reason,
})

/** What follows from a state, besides when it began. */
const livingAs = (
  { tenant, expiresAt }: MemoryState,
  { state, archivedReason }: Pick<MemoryState, 'state' | 'archivedReason'>,
) => ({
  state,
  scope: scopeToken(tenant, state),
  archivedReason,
  liveUntil: liveUntilOf({ state, archivedReason, expiresAt }),
})

/** Whether the caller has named versions, and the memory has another one. */
export const isUnexpected = (
  { version }: Pick<MemoryState, 'version'>,
  { expectedVersions }: Pick<Context, 'expectedVersions'>,
) => expectedVersions !== undefined && !expectedVersions.includes(version)
