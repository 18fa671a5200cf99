import type { Context } from '../context.ts'
import { type RelationshipType, relationshipTypes } from '../contract/connections.ts'
import { int } from './neo4j.ts'

/** The one place where the graph's names become the contract's: Cypher shapes the answer. */

/** A time as the contract writes it. */
export const isoTime = (expression: string) => `format(${expression}, "yyyy-MM-dd'T'HH:mm:ss.SSSX")`

/** A memory as answered. The statement needs the parameter `space`. */
export const memoryProjection = (m: string) => `{
  id: ${m}.id, content: ${m}.content, policy: ${m}.policy, ttl_seconds: ${m}.ttlSeconds, tags: ${m}.tags,
  importance: ${m}.importance, state: ${m}.state, health: ${m}.health, recall_count: ${m}.recallCount,
  last_recalled_at: ${isoTime(`${m}.lastRecalledAt`)}, expires_at: ${isoTime(`${m}.expiresAt`)},
  archived_at: ${isoTime(`${m}.archivedAt`)}, created_at: ${isoTime(`${m}.createdAt`)},
  updated_at: ${isoTime(`${m}.updatedAt`)}, version: ${m}.version,
  embedding: {status: CASE WHEN ${m}[$space.property] IS NULL THEN 'pending' ELSE 'ready' END, model: $space.model,
    dimensions: $space.dimensions, truncated: coalesce(${m}[$space.truncated], false)}
}`

export const spaceParameter = ({ space }: Pick<Context, 'space'>) => ({
  model: space.model,
  dimensions: int(space.dimensions),
  property: space.property,
  truncated: space.truncated,
})

/** What everyone shows of a connection `r` that ends in `target`. */
export const connectionProjection = (r: string, target: string) => `{
  target_id: ${target}.id, relationship_type: toLower(type(${r})), strength: ${r}.strength,
  created_at: ${isoTime(`${r}.createdAt`)}, origin: ${r}.origin, model: ${r}.model, threshold: ${r}.threshold
}`

/** A change with its number, which the service seals into a cursor. */
export const changeProjection = (c: string) => `{
  number: ${c}.number, kind: ${c}.kind, at: ${isoTime(`${c}.at`)}, version: ${c}.version, policy: ${c}.policy,
  memory_id: CASE WHEN ${c}.targetId IS NULL THEN ${c}.memoryId END,
  connection: CASE WHEN ${c}.targetId IS NOT NULL THEN {source_id: ${c}.memoryId, target_id: ${c}.targetId,
    relationship_type: ${c}.type, strength: ${c}.strength, origin: ${c}.origin} END
}`

export const apiKeyProjection = (k: string) => `{
  id: ${k}.id, tenant: ${k}.tenant, name: ${k}.name, scopes: ${k}.scopes, created_at: ${isoTime(`${k}.createdAt`)},
  expires_at: ${isoTime(`${k}.expiresAt`)}, last_used_at: ${isoTime(`${k}.lastUsedAt`)}
}`

export const jobProjection = (j: string) => `{
  id: ${j}.id, kind: ${j}.kind, tenant: ${j}.tenant, memory_id: ${j}.memoryId, state: ${j}.state, attempt: ${j}.attempt,
  created_at: ${isoTime(`${j}.createdAt`)}, run_at: ${isoTime(`${j}.runAt`)}, lease_until: ${isoTime(`${j}.leaseUntil`)},
  last_error: ${j}.lastError, report: ${j}.report
}`

/** A relationship type as the graph writes it. The input is from a closed set, so it may stand in the text. */
export const typeInGraph = (type: RelationshipType) => type.toUpperCase()

/** Types for a pattern; all eight when none are named. Types in the text read only those relationships. */
export const typesInGraph = (types: readonly RelationshipType[] = relationshipTypes) =>
  types.map(typeInGraph).join('|')
