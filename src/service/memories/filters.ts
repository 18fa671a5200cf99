import type { Parsed } from '../../contract/index.ts'
import type { Metadata } from '../../contract/values.ts'
import type { Conditions, MemoryFilter, Range } from '../../store/memories/filter.ts'
import { metadataTokens } from '../../store/neo4j/tokens.ts'

/** The words that stand for the entries of a filter of metadata: a memory must have all of them. */
export const metadataWords = (metadata: Metadata): string[] => metadataTokens(metadata)

/** The filters of the contract, as each operation that chooses memories has them. */
export type Filters = Partial<NonNullable<Parsed<'createWebhook'>['filters']>> & {
  as_of?: string | undefined
}

/** Without filters, all memories. */
export const toFilter = ({ as_of, ...input }: Filters = {}): MemoryFilter =>
  as_of === undefined ? filterOf(input) : pastFilter(filterOf(input), Date.parse(as_of))

/** Those that had been created by then; what holds now is what held then. */
const pastFilter = (filter: MemoryFilter, asOf: number): MemoryFilter => ({
  ...filter,
  asOf,
  createdAt: {
    from: filter.createdAt.from,
    to: Math.min(filter.createdAt.to ?? Number.POSITIVE_INFINITY, asOf + 1),
  },
  validAt: filter.validAt === 'now' ? asOf : filter.validAt,
})

const filterOf = ({
  any = [],
  none = [],
  valid_at = 'any',
  ...input
}: Omit<Filters, 'as_of'>): MemoryFilter => ({
  ...toConditions(input),
  any: any.map(toConditions),
  none: none.map(toConditions),
  validAt: valid_at === 'any' || valid_at === 'now' ? valid_at : Date.parse(valid_at),
})

const toConditions = (input: Omit<Filters, 'any' | 'none' | 'valid_at' | 'as_of'>): Conditions => ({
  policy: input.policy,
  tags: input.tags ?? [],
  tagsMatch: input.tags_match ?? 'all',
  source: input.source,
  sessionId: input.session_id,
  kind: input.kind,
  community: input.community,
  metadata: input.metadata ?? {},
  importance: { from: input.min_importance, to: input.max_importance },
  createdAt: timeRange(input.created_after, input.created_before),
  updatedAt: timeRange(input.updated_after, input.updated_before),
})

/** A span of time in whole milliseconds, from inclusive to exclusive. */
const timeRange = (after: string | undefined, before: string | undefined): Range => ({
  from: after === undefined ? undefined : firstMillisecond(after),
  to: before === undefined ? undefined : firstMillisecond(before),
})

/** The graph keeps milliseconds: a finer bound begins with the next one. */
const firstMillisecond = (time: string): number => Date.parse(time) + (isFiner(time) ? 1 : 0)

/** Whether a time lies between two milliseconds. */
export const isFiner = (time: string): boolean => /\.\d{3}\d*[1-9]\d*(?=[Zz+-])/.test(time)
