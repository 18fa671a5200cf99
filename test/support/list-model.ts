import type { Input } from '../../src/contract/index.ts'
import type { Memory } from '../../src/contract/memory.ts'

export type ListQuery = Omit<Input<'listMemories'>, 'limit' | 'cursor'>

/** The list that the contract promises, computed over plain objects. `expired` names those whose time has run out. */
export function listed(
  memories: readonly Memory[],
  expired: ReadonlySet<string>,
  query: ListQuery,
): Memory[] {
  return memories
    .filter(memory => isIn(memory, query) && (memory.state === 'archived' || !expired.has(memory.id)))
    .toSorted(inOrder(query))
}

function isIn(memory: Memory, query: ListQuery): boolean {
  const states = query.state ? [query.state] : query.include_archived ? ['active', 'archived'] : ['active']
  const { valid_at = 'any', any, none = [] } = query
  return (
    states.includes(memory.state) &&
    meets(memory, query) &&
    (any === undefined || any.some(each => meets(memory, each))) &&
    !none.some(each => meets(memory, each)) &&
    (valid_at === 'any' || holds(memory, valid_at === 'now' ? Date.now() : Date.parse(valid_at)))
  )
}

function meets(memory: Memory, query: Omit<ListQuery, 'any' | 'none'>): boolean {
  const { tags = [], tags_match = 'all' } = query
  const tagged = tags.map(tag => memory.tags.includes(tag))
  return (
    (query.policy === undefined || memory.policy === query.policy) &&
    (tags.length === 0 || matches[tags_match](tagged)) &&
    (query.source === undefined || memory.source === query.source) &&
    (query.session_id === undefined || memory.session_id === query.session_id) &&
    Object.entries(query.metadata ?? {}).every(([name, value]) => memory.metadata[name] === value) &&
    memory.importance >= (query.min_importance ?? 0) &&
    memory.importance <= (query.max_importance ?? 1) &&
    isBetween(memory.created_at, query.created_after, query.created_before) &&
    isBetween(memory.updated_at, query.updated_after, query.updated_before)
  )
}

const matches = {
  all: (tagged: readonly boolean[]) => tagged.every(Boolean),
  any: (tagged: readonly boolean[]) => tagged.some(Boolean),
  none: (tagged: readonly boolean[]) => !tagged.some(Boolean),
}

const holds = ({ valid_from, valid_until }: Memory, at: number) =>
  (valid_from === null || Date.parse(valid_from) <= at) &&
  (valid_until === null || Date.parse(valid_until) > at)

const isBetween = (time: string, after: string | undefined, before: string | undefined) =>
  (after === undefined || Date.parse(time) >= Date.parse(after)) &&
  (before === undefined || Date.parse(time) < Date.parse(before))

function inOrder({ order_by = 'created_at', order = 'desc' }: ListQuery) {
  const sign = order === 'asc' ? 1 : -1
  return (a: Memory, b: Memory) => {
    const [left, right] = [a[order_by], b[order_by]]
    if (left === right) return sign * (a.id < b.id ? -1 : 1)
    if (left === null || right === null) return left === null ? 1 : -1
    return sign * (left < right ? -1 : 1)
  }
}
