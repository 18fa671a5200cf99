import { createHash } from 'node:crypto'
import { int } from './neo4j.ts'

/**
 * Single words that stand for a tenant, a tag or a policy in the full-text index, where they filter without
 * counting in the score. Hashed, because an analyser would take names apart.
 */
export const scopeToken = (tenant: string, state: 'active' | 'archived') =>
  token(state === 'active' ? 's' : 'z', tenant)
export const tagToken = (tag: string) => token('k', tag)
export const policyToken = (policy: string) => token('p', policy)

const token = (kind: string, value: string) =>
  kind + createHash('sha256').update(value).digest('hex').slice(0, 24)

/** `liveUntil` of a memory without a time limit: the end of the year 9999, in milliseconds. */
export const FOREVER = int(253_402_300_799_000)
