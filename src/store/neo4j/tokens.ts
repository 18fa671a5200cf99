import { hash } from 'node:crypto'
import { END_OF_TIME, int } from './statements.ts'

/**
 * Single words that stand for a tenant, a tag or a policy in the full-text index, where they filter without
 * counting in the score. Hashed, because an analyser would take names apart.
 */
export const scopeToken = (tenant: string, state: 'active' | 'archived') =>
  token(state === 'active' ? 's' : 'z', tenant)
export const tagToken = (tag: string) => token('k', tag)
export const policyToken = (policy: string) => token('p', policy)

const token = (kind: string, value: string) => kind + hash('sha256', value).slice(0, 24)

/** `liveUntil` of a memory without a time limit, in milliseconds. */
export const FOREVER = int(END_OF_TIME)

/**
 * Until when searches find a memory `m`, in milliseconds: an archived one is not live at all. The vector index tests
 * it instead of the state, which would cost a search of a large tenant half as much again.
 */
export const liveUntil = (m: string) =>
  `CASE ${m}.state WHEN 'active' THEN coalesce(${m}.expiresAt.epochMillis, ${FOREVER}) ELSE 0 END`

/** Whether a memory `m` is active and within its time limit. */
export const live = (m: string) => `${m}.liveUntil > timestamp()`

/** Whether a memory `m` is shown where archived ones are: an active one only within its time limit. */
export const liveOrArchived = (m: string) => `(${m}.state = 'archived' OR ${live(m)})`

export const policyProperties = (policy: string) => ({ policy, policyKey: policyToken(policy) })
export const tagProperties = (tags: readonly string[]) => ({ tags, tagKeys: tags.map(tagToken) })

/** The filters that the full-text index holds in addition to the words. */
export type IndexedFilter = {
  states: readonly ('active' | 'archived')[]
  tags: readonly string[] | undefined
  tagsMatch: 'all' | 'any'
  policy: string | undefined
}

export const hasTags = ({ tags }: Pick<IndexedFilter, 'tags'>) => tags !== undefined && tags.length > 0

/** Filters as full-text clauses which do not count in the score. Every token is hexadecimal. */
export function filterClause(tenant: string, { states, tags, tagsMatch, policy }: IndexedFilter): string {
  const scopes = states.map(state => `scope:${scopeToken(tenant, state)}`).join(' ')
  const keys = (tags ?? []).map(tag => `tagKeys:${tagToken(tag)}`)
  return [
    `+(${scopes})^0`,
    ...(policy === undefined ? [] : [`+policyKey:${policyToken(policy)}^0`]),
    ...(keys.length === 0
      ? []
      : tagsMatch === 'all'
        ? keys.map(key => `+${key}^0`)
        : [`+(${keys.join(' ')})^0`]),
  ].join(' ')
}
