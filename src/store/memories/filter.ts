import type { Metadata } from '../../contract/values.ts'
import { time } from '../neo4j/statements.ts'
import {
  holdsNow,
  kindToken,
  live,
  liveAt,
  liveOrSuperseded,
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
 * Whether a memory `m` passes a filter, of a statement with `filterParameters`. All conditions are in one text, whichever
 * are asked for: every other text would have to be planned again.
 */
export const passes = (m: string, filter: MemoryFilter): string =>
  [
    ...(hasConditions(filter) ? [meets(m, '$filter')] : []),
    ...(filter.any.length > 0 ? [`any(one IN $filter.any WHERE ${meets(m, 'one')})`] : []),
    ...(filter.none.length > 0 ? [`none(one IN $filter.none WHERE ${meets(m, 'one')})`] : []),
    passesValidity(m, filter.validAt),
  ].join(' AND ')

/**
 * Unknown where an earlier version of a memory does not keep a field: it passes neither a condition nor an exception. One
 * predicate tests several fields, which Neo4j plans faster than one for each.
 */
const meets = (
  m: string,
  f: string,
) => `all(name IN keys(${f}.equal) WHERE coalesce(${m}[name] = ${f}.equal[name], false))
  AND all(name IN keys(${f}.from) WHERE ${m}[name] >= ${f}.from[name])
  AND all(name IN keys(${f}.before) WHERE ${m}[name] < ${f}.before[name])
  AND (${f}.maxImportance IS NULL OR ${m}.importance <= ${f}.maxImportance)
  AND all(name IN keys(${f}.all) WHERE all(each IN ${f}.all[name] WHERE each IN ${m}[name]))
  AND none(tag IN ${f}.noTags WHERE tag IN ${m}.tags)
  AND (${f}.anyTags IS NULL OR any(tag IN ${f}.anyTags WHERE tag IN ${m}.tags))`

/** Whether what a memory or a connection says holds when a filter asks for it. */
export const passesValidity = (m: string, validity: Validity) =>
  validity === 'any' ? 'true' : validity === 'now' ? holdsNow(m) : valid(m, '$filter.validAt')

/** Whether a search finds a memory `m`: it passes, and is live, or was superseded only after the time that is asked for. */
export const isFound = (m: string, filter: MemoryFilter) =>
  `${liveAt(m, filter.validAt)} AND ${passes(m, filter)}`

const isOfThePast = ({ validAt }: MemoryFilter) => typeof validAt === 'number'

/** The states of memories that a search finds. */
export const statesAt = (filter: MemoryFilter): readonly State[] =>
  isOfThePast(filter) ? ['active', 'archived'] : ['active']

/** What the vector index tests on its own: a range of liveness, in which a search finds all, and of the rest what is asked for. */
export const insideVectorIndex = (m: string, filter: MemoryFilter) =>
  [
    `${m}.tenant = $tenant`,
    isOfThePast(filter) ? liveOrSuperseded(m) : live(m),
    ...(filter.policy === undefined ? [] : [`${m}.policy = $filter.equal.policy`]),
    ...(filter.importance.from === undefined ? [] : [`${m}.importance >= $filter.from.importance`]),
    ...(filter.importance.to === undefined ? [] : [`${m}.importance <= $filter.maxImportance`]),
    ...(filter.createdAt.from === undefined ? [] : [`${m}.createdAt >= $filter.from.createdAt`]),
    ...(filter.createdAt.to === undefined ? [] : [`${m}.createdAt < $filter.before.createdAt`]),
  ].join(' AND ')

/** Whether a filter may leave few memories of which the vector index does not know. */
export const isSelective = (filter: MemoryFilter): boolean =>
  hasKeys(filter) ||
  filter.community !== undefined ||
  isBounded(filter.updatedAt) ||
  filter.any.length > 0 ||
  filter.none.length > 0

/** What `passes` reads. */
export const filterParameters = ({ any, none, validAt, asOf, ...conditions }: MemoryFilter) => ({
  ...(asOf !== undefined && { asOf: time(asOf) }),
  filter: {
    ...values(conditions),
    any: any.map(values),
    none: none.map(values),
    ...validityParameter(validAt),
  },
})

/** What `passesValidity` reads of `$filter`. */
export const validityParameter = (validAt: Validity) => ({
  validAt: moment(typeof validAt === 'number' ? validAt : undefined),
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
  before: given({ createdAt: moment(createdAt.to), updatedAt: moment(updatedAt.to) }),
  maxImportance: importance.to ?? null,
  all: { tags: tagsMatch === 'all' ? tags : [], metadataKeys: metadataTokens(metadata) },
  anyTags: tagsMatch === 'any' && tags.length > 0 ? tags : null,
  noTags: tagsMatch === 'none' ? tags : [],
})

const given = (conditions: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== null && value !== undefined))

const moment = (value: number | undefined) => (value === undefined ? null : time(value))

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
