import type { Context } from '../../context.ts'
import type { Range } from '../memories/ordering.ts'
import { spaceParameter } from '../neo4j/projections.ts'
import { time } from '../neo4j/statements.ts'
import {
  hasKeys,
  type IndexedFilter,
  live,
  liveAt,
  liveOrSuperseded,
  metadataTokens,
  passesValidity,
  type Validity,
  validityParameter,
} from '../neo4j/tokens.ts'

/** With archived memories a filter finds those that were superseded only after `validAt`. */
export type SearchFilter = IndexedFilter & {
  importance: Range
  createdAt: Range
  updatedAt: Range
  validAt: Validity
}

/** Whether a filter may leave few memories of which the vector index does not know. */
export const isSelective = (filter: SearchFilter): boolean =>
  hasKeys(filter) || filter.updatedAt.from !== undefined || filter.updatedAt.to !== undefined

/** What the vector index tests by itself. */
export const insideIndex = (filter: SearchFilter) =>
  [
    'm.tenant = $tenant',
    filter.states.includes('archived') ? liveOrSuperseded('m') : live('m'),
    ...figures(filter),
  ].join(' AND ')

/** What it tests of the filters, also where no index is asked. */
export const figuresPass = (filter: SearchFilter) => ['true', ...figures(filter)].join(' AND ')

const figures = ({ policy, importance, createdAt }: SearchFilter) => [
  ...(policy === undefined ? [] : ['m.policy = $policy']),
  ...(importance.from === undefined ? [] : ['m.importance >= $minImportance']),
  ...(importance.to === undefined ? [] : ['m.importance <= $maxImportance']),
  ...(createdAt.from === undefined ? [] : ['m.createdAt >= $createdFrom']),
  ...(createdAt.to === undefined ? [] : ['m.createdAt < $createdTo']),
]

/** What neither the vector index nor the full-text index tests. */
export const timesPass = ({ states, updatedAt, validAt }: SearchFilter) =>
  [
    ...(updatedAt.from === undefined ? [] : ['m.updatedAt >= $updatedFrom']),
    ...(updatedAt.to === undefined ? [] : ['m.updatedAt < $updatedTo']),
    ...(states.includes('archived') ? [liveAt('m', validAt)] : []),
    passesValidity('m', validAt),
  ].join(' AND ')

/** What the vector index does not test. */
export const restPasses = (filter: SearchFilter) =>
  [
    timesPass(filter),
    ...(filter.tags?.length ? [`${filter.tagsMatch}(tag IN $tags WHERE tag IN m.tags)`] : []),
    ...(filter.source === undefined ? [] : ['m.source = $source']),
    ...(filter.sessionId === undefined ? [] : ['m.sessionId = $sessionId']),
    ...(filter.metadata === undefined ? [] : ['all(key IN $metadataKeys WHERE key IN m.metadataKeys)']),
  ].join(' AND ')

export const filterParameters = (
  ctx: Context,
  { tags, policy, importance, createdAt, updatedAt, validAt, source, sessionId, metadata }: SearchFilter,
) => ({
  tenant: ctx.tenant,
  space: spaceParameter(ctx),
  tags: tags ?? null,
  policy: policy ?? null,
  minImportance: importance.from ?? null,
  maxImportance: importance.to ?? null,
  createdFrom: moment(createdAt.from),
  createdTo: moment(createdAt.to),
  updatedFrom: moment(updatedAt.from),
  updatedTo: moment(updatedAt.to),
  ...validityParameter(validAt),
  source: source ?? null,
  sessionId: sessionId ?? null,
  metadataKeys: metadata === undefined ? null : metadataTokens(metadata),
})

const moment = (value: number | undefined) => (value === undefined ? null : time(value))
