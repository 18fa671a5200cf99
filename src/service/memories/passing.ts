import type { Glimpse } from '../../store/feed/types.ts'
import type { Conditions, MemoryFilter, Range } from '../../store/memories/filter.ts'
import { metadataTokens } from '../../store/neo4j/tokens.ts'

type Test = (memory: Glimpse) => boolean

/** Whether a memory passes a filter: the same that `passes` asks of the graph. */
export function passing({ any, none, validAt, ...conditions }: MemoryFilter): Test {
  const [own, alternatives, exceptions] = [meeting(conditions), any.map(meeting), none.map(meeting)]
  return memory =>
    own(memory) &&
    (alternatives.length === 0 || alternatives.some(test => test(memory))) &&
    !exceptions.some(test => test(memory)) &&
    (validAt === 'any' || holds(memory, validAt === 'now' ? Date.now() : validAt))
}

function meeting({ tags, tagsMatch, metadata, importance, createdAt, updatedAt, ...same }: Conditions): Test {
  const keys = metadataTokens(metadata)
  const isEqual = <Value>(wanted: Value | undefined, value: Value | null) =>
    wanted === undefined || wanted === value
  return memory =>
    isEqual(same.policy, memory.policy) &&
    isEqual(same.source, memory.source) &&
    isEqual(same.sessionId, memory.sessionId) &&
    isEqual(same.kind, memory.kind) &&
    (tags.length === 0 || tagged[tagsMatch](tags, memory.tags)) &&
    keys.every(key => memory.metadataKeys.includes(key)) &&
    isFrom(importance, memory.importance) &&
    (importance.to === undefined || memory.importance <= importance.to) &&
    isWithin(createdAt, memory.createdAt) &&
    isWithin(updatedAt, memory.updatedAt)
}

const tagged = {
  all: (wanted: readonly string[], tags: readonly string[]) => wanted.every(tag => tags.includes(tag)),
  any: (wanted: readonly string[], tags: readonly string[]) => wanted.some(tag => tags.includes(tag)),
  none: (wanted: readonly string[], tags: readonly string[]) => !wanted.some(tag => tags.includes(tag)),
}

const isFrom = ({ from }: Range, value: number) => from === undefined || value >= from
const isWithin = (range: Range, time: number) =>
  isFrom(range, time) && (range.to === undefined || time < range.to)

const holds = ({ validFrom, validUntil }: Glimpse, at: number) =>
  (validFrom === null || validFrom <= at) && (validUntil === null || validUntil > at)
