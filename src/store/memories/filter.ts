import type { Metadata } from '../../contract/values.ts'
import { END_OF_TIME, int, time } from '../neo4j/statements.ts'
import {
  kindToken,
  liveAt,
  metadataTokens,
  policyToken,
  scopeToken,
  sessionToken,
  sourceToken,
  tagToken,
  type Validity,
  valid,
} from '../neo4j/tokens.ts'

/** From inclusive; `to` exclusive for times (milliseconds) and inclusive for importance. */
export type Range = { readonly from: number | undefined; readonly to: number | undefined }

/** What one memory must have. An empty list or object asks for nothing. */
export type Conditions = {
  readonly policy: string | undefined
  readonly tags: readonly string[]
  readonly tagsMatch: 'all' | 'any' | 'none'
  readonly source: string | undefined
  readonly sessionId: string | undefined
  readonly kind: string | undefined
  readonly community: string | undefined
  readonly metadata: Metadata
  readonly importance: Range
  readonly createdAt: Range
  readonly updatedAt: Range
}

/** Which memories are meant: those that meet the conditions, at least one of `any`, and none of `none`. */
export type MemoryFilter = Conditions & {
  readonly any: readonly Conditions[]
  readonly none: readonly Conditions[]
  readonly validAt: Validity
  /** The time, in milliseconds, as of which memories are read; without it as they are. */
  readonly asOf?: number | undefined
}

const isBounded = ({ from, to }: Range) => from !== undefined || to !== undefined

const hasConditions = (conditions: Conditions) =>
  hasKeys(conditions) ||
  conditions.policy !== undefined ||
  conditions.community !== undefined ||
  [conditions.importance, conditions.createdAt, conditions.updatedAt].some(isBounded)

/** Whether a filter leaves any memory out. */
export const isFiltered = (filter: MemoryFilter) =>
  hasConditions(filter) || filter.any.length > 0 || filter.none.length > 0 || filter.validAt !== 'any'

/**
 * Whether a memory `m` passes a filter, of a statement with `filterParameters`. It is one text for all filters: every other text
 * would have to be planned again. Unknown where an earlier version of a memory does not keep a field: it passes neither a
 * condition nor an exception.
 */
export const passes = (m: string): string =>
  `all(g IN $filter.groups WHERE any(c IN g.of WHERE
    all(name IN keys(c.equal) WHERE coalesce(${m}[name] = c.equal[name], false))
    AND all(name IN keys(c.from) WHERE ${m}[name] >= c.from[name])
    AND all(name IN keys(c.to) WHERE ${m}[name] <= c.to[name])
    AND all(name IN keys(c.before) WHERE ${m}[name] < c.before[name])
    AND all(name IN keys(c.all) WHERE all(each IN c.all[name] WHERE each IN ${m}[name]))
    AND all(name IN keys(c.some) WHERE any(each IN c.some[name] WHERE each IN ${m}[name]))
    AND none(name IN keys(c.none) WHERE any(each IN c.none[name] WHERE each IN ${m}[name]))) = g.wanted) AND ${passesValidity(m)}`

/** Whether what a memory or a connection says holds when a filter asks for it. */
export const passesValidity = (m: string) =>
  `CASE WHEN $filter.always THEN true ELSE ${valid(m, "coalesce($filter.validAt, datetime.transaction('Z'))")} END`

/** Whether a search finds a memory `m`: it passes, and is live, or was superseded only after the time that is asked for. */
export const isFound = (m: string) => `${liveAt(m)} AND ${passes(m)}`

/** The states of memories that a search finds. */
export const statesAt = (filter: MemoryFilter): readonly State[] =>
  typeof filter.validAt === 'number' ? ['active', 'archived'] : ['active']

/** What the vector index tests on its own: a range of liveness, in which a search finds all, and ranges if any is asked for. */
export const insideVectorIndex = (m: string, filter: MemoryFilter) =>
  `${m}.tenant = $tenant AND ${m}.liveUntil > coalesce($filter.deadSince, timestamp())${
    isInVectorIndex(filter) ? ` AND ${inRanges(m)}` : ''
  }`

const inRanges = (m: string) =>
  `${m}.policy >= $filter.least.policy AND ${m}.policy <= $filter.most.policy
    AND ${m}.importance >= $filter.least.importance AND ${m}.importance <= $filter.most.importance
    AND ${m}.createdAt >= $filter.least.createdAt AND ${m}.createdAt < $filter.most.createdAt`

const isInVectorIndex = ({ policy, importance, createdAt }: MemoryFilter) =>
  policy !== undefined || isBounded(importance) || isBounded(createdAt)

/** Whether a filter may leave few memories of which the vector index does not know. */
export const isSelective = (filter: MemoryFilter): boolean =>
  hasKeys(filter) ||
  filter.community !== undefined ||
  isBounded(filter.updatedAt) ||
  filter.any.length > 0 ||
  filter.none.length > 0

/** What `passes` and `insideVectorIndex` read. */
export const filterParameters = ({ any, none, validAt, asOf, ...conditions }: MemoryFilter) => ({
  ...(asOf !== undefined && { asOf: time(asOf) }),
  filter: {
    groups: [
      ...(hasConditions(conditions) ? [{ of: [values(conditions)], wanted: true }] : []),
      ...(any.length > 0 ? [{ of: any.map(values), wanted: true }] : []),
      ...(none.length > 0 ? [{ of: none.map(values), wanted: false }] : []),
    ],
    ...validityParameter(validAt),
    ...indexRanges(conditions),
    deadSince: typeof validAt === 'number' ? int(0) : null,
  },
})

/** What `passesValidity` reads of `$filter`. */
export const validityParameter = (validAt: Validity) => ({
  always: validAt === 'any',
  validAt: typeof validAt === 'number' ? time(validAt) : null,
})

const indexRanges = ({ policy, importance, createdAt }: Conditions) => ({
  least: {
    policy: policy ?? '',
    importance: importance.from ?? 0,
    createdAt: time(createdAt.from ?? 0),
  },
  most: {
    policy: policy ?? '\uffff',
    importance: importance.to ?? 1,
    createdAt: time(createdAt.to ?? END_OF_TIME),
  },
})

const values = ({ tags, tagsMatch, metadata, importance, createdAt, updatedAt, ...same }: Conditions) => ({
  equal: given({
    policy: same.policy,
    source: same.source,
    sessionId: same.sessionId,
    kind: same.kind,
    community: same.community,
  }),
  from: given({
    importance: importance.from,
    createdAt: moment(createdAt.from),
    updatedAt: moment(updatedAt.from),
  }),
  to: given({ importance: importance.to }),
  before: given({ createdAt: moment(createdAt.to), updatedAt: moment(updatedAt.to) }),
  all: { tags: tagsMatch === 'all' ? tags : [], metadataKeys: metadataTokens(metadata) },
  some: tagsMatch === 'any' && tags.length > 0 ? { tags } : {},
  none: tagsMatch === 'none' ? { tags } : {},
})

const given = (conditions: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined))

const moment = (value: number | undefined) => (value === undefined ? undefined : time(value))

type State = 'active' | 'archived'

/** More clauses than this for `any` and `none` are not given to Lucene, which refuses a query of more than 1,024. */
const MOST_CLAUSES = 400

/**
 * A filter as full-text clauses which do not count in the score. Every token is hexadecimal. What matches may be more
 * than what passes: the index holds neither importance nor times.
 */
export function filterClause(tenant: string, states: readonly State[], filter: MemoryFilter): string {
  const scope = `+(${states.map(state => `scope:${scopeToken(tenant, state)}`).join(' ')})^0`
  const any = isAnyIndexed(filter) ? filter.any.map(each => `(${scope} ${clauses(each)})`) : []
  const none = filter.none.filter(isWhollyIndexed).map(each => `-(${scope} ${clauses(each)})`)
  const fits = [...any, ...none].join(' ').split(' ').length <= MOST_CLAUSES
  return [
    scope,
    clauses(filter),
    ...(fits && any.length > 0 ? [`+(${any.join(' ')})^0`] : []),
    ...(fits ? none : []),
  ].join(' ')
}

const clauses = ({ policy, ...conditions }: Conditions): string => {
  const { all, any, none } = keysOf(conditions)
  return [
    ...(policy === undefined ? [] : [`+policyKey:${policyToken(policy)}^0`]),
    ...all.map(key => `+${key}^0`),
    ...(any.length === 0 ? [] : [`+(${any.join(' ')})^0`]),
    ...none.map(key => `-${key}`),
  ].join(' ')
}

/** The tokens that a memory must have or must not have; the policy aside, which other indexes hold too. */
function keysOf({ tags, tagsMatch, source, sessionId, kind, metadata }: Omit<Conditions, 'policy'>) {
  const tagged = tags.map(tag => `tagKeys:${tagToken(tag)}`)
  return {
    all: [
      ...(source === undefined ? [] : [`sourceKey:${sourceToken(source)}`]),
      ...(sessionId === undefined ? [] : [`sessionKey:${sessionToken(sessionId)}`]),
      ...(kind === undefined ? [] : [`kindKey:${kindToken(kind)}`]),
      ...metadataTokens(metadata).map(token => `metadataKeys:${token}`),
      ...(tagsMatch === 'all' ? tagged : []),
    ],
    any: tagsMatch === 'any' ? tagged : [],
    none: tagsMatch === 'none' ? tagged : [],
  }
}

/** Whether conditions have parts which of all indexes only the full-text index holds. */
const hasKeys = (conditions: Conditions): boolean =>
  Object.values(keysOf(conditions)).some(({ length }) => length > 0)

/** Whether the full-text index alone may leave few memories. */
export const isIndexed = (filter: MemoryFilter): boolean =>
  hasKeys(filter) || isAnyIndexed(filter) || filter.none.some(isWhollyIndexed)

const isAnyIndexed = ({ any }: MemoryFilter) =>
  any.length > 0 && any.every(each => hasKeys(each) || each.policy !== undefined)

const isWhollyIndexed = ({ community, importance, createdAt, updatedAt }: Conditions) =>
  community === undefined && ![importance, createdAt, updatedAt].some(isBounded)
