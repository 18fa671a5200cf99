import type { Parsed } from '../../contract/index.ts'
import type { Range } from '../../store/memories/ordering.ts'
import type { Validity } from '../../store/neo4j/tokens.ts'

type Filters = Pick<
  Parsed<'listMemories'>,
  'policy' | 'tags' | 'tags_match' | 'min_importance' | 'max_importance' | 'created_after' | 'created_before'
> &
  Pick<Parsed<'listMemories'>, 'updated_after' | 'updated_before' | 'source' | 'session_id' | 'metadata'>

/** The filters that lists, searches and contexts share. */
export const toFilters = (input: Filters) => ({
  policy: input.policy,
  tags: input.tags,
  tagsMatch: input.tags_match,
  source: input.source,
  sessionId: input.session_id,
  metadata: input.metadata && Object.keys(input.metadata).length > 0 ? input.metadata : undefined,
  importance: { from: input.min_importance, to: input.max_importance },
  createdAt: timeRange(input.created_after, input.created_before),
  updatedAt: timeRange(input.updated_after, input.updated_before),
})

/** When memories must hold, in the milliseconds that the graph keeps; now by default. */
export const validityOf = (time: string | undefined): Validity =>
  time === undefined ? 'now' : time === 'any' ? 'any' : Date.parse(time)

/** A span of time in whole milliseconds, from inclusive to exclusive. */
const timeRange = (after: string | undefined, before: string | undefined): Range => ({
  from: after === undefined ? undefined : firstMillisecond(after),
  to: before === undefined ? undefined : firstMillisecond(before),
})

/** The graph keeps milliseconds: a finer bound begins with the next one. */
const firstMillisecond = (time: string): number => Date.parse(time) + (isFiner(time) ? 1 : 0)

/** Whether a time lies between two milliseconds. */
export const isFiner = (time: string): boolean => /\.\d{3}\d*[1-9]\d*(?=[Zz+-])/.test(time)
