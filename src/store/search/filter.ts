import type { Context } from '../../context.ts'
import type { Range } from '../memories/ordering.ts'
import { spaceParameter } from '../neo4j/projections.ts'
import { time } from '../neo4j/statements.ts'
import { hasTags, type IndexedFilter, live } from '../neo4j/tokens.ts'

export type SearchFilter = Omit<IndexedFilter, 'states'> & {
  importance: Range
  createdAt: Range
}

/** What the vector index tests by itself. */
export const insideIndex = ({ policy, importance, createdAt }: SearchFilter) =>
  [
    `m.tenant = $tenant AND ${live('m')}`,
    ...(policy === undefined ? [] : ['m.policy = $policy']),
    ...(importance.from === undefined ? [] : ['m.importance >= $minImportance']),
    ...(importance.to === undefined ? [] : ['m.importance <= $maxImportance']),
    ...(createdAt.from === undefined ? [] : ['m.createdAt >= $createdFrom']),
    ...(createdAt.to === undefined ? [] : ['m.createdAt < $createdTo']),
  ].join(' AND ')

export const tagsPass = (filter: SearchFilter) =>
  hasTags(filter) ? `${filter.tagsMatch}(tag IN $tags WHERE tag IN m.tags)` : 'true'

export const filterParameters = (ctx: Context, { tags, policy, importance, createdAt }: SearchFilter) => ({
  tenant: ctx.tenant,
  space: spaceParameter(ctx),
  tags: tags ?? null,
  policy: policy ?? null,
  minImportance: importance.from ?? null,
  maxImportance: importance.to ?? null,
  createdFrom: createdAt.from === undefined ? null : time(createdAt.from),
  createdTo: createdAt.to === undefined ? null : time(createdAt.to),
})
