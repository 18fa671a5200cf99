import { createHash } from 'node:crypto'
import type { TestService } from './service.ts'

/**
 * Copies every memory of a tenant many times into another one, straight into the graph: same words, tags and
 * policy, with the tokens of the other tenant and nearly the same vectors, and with connections among the copies.
 * Answers a function that removes them.
 */
export async function copyTenant(service: TestService, { into, copies }: { into: string; copies: number }) {
  const token = (kind: string) => kind + createHash('sha256').update(into).digest('hex').slice(0, 24)
  for (let at = 0; at < copies; at += PORTION)
    await service.cypher(copy, {
      from: service.tenant,
      into,
      first: at,
      last: Math.min(at + PORTION, copies) - 1,
      scope: { active: token('s'), archived: token('z') },
    })
  await service.cypher(connect, { into })
  await service.cypher(queue, { into })
  return () => removeTenant(service, into)
}

/** Removes what a test that makes a great deal would leave behind in a database that is used again. */
export async function removeTenant(service: TestService, tenant: string) {
  while ((await service.cypher(remove, { tenant })).length > 0);
}

const PORTION = 100

const copy = `CYPHER 25
  MATCH (m:Memory {tenant: $from})
  WITH collect(m) AS originals
  UNWIND range($first, $last) AS copy
  UNWIND originals AS m
  CREATE (n:Memory)
  SET n = m{.*, id: randomUUID(), tenant: $into, scope: $scope[m.state],
    content: m.content + CASE copy % 3 WHEN 0 THEN '' ELSE ' ' + toString(copy) END}
  WITH n, copy, [key IN keys(n) WHERE key STARTS WITH 'embedding_'][0] AS property
  WITH n, copy, property, n[property] AS vector
  CALL db.create.setNodeVectorProperty(n, property,
    [value IN vector | value + CASE copy % 3 WHEN 0 THEN 0 ELSE 0.0001 * (rand() - 0.5) END])`

const connect = `CYPHER 25
  MATCH (n:Memory {tenant: $into})
  WITH n ORDER BY n.id
  WITH collect(n) AS copies
  UNWIND range(0, size(copies) - 2) AS at
  WITH copies[at] AS source, copies[at + 1] AS target
  CREATE (source)-[:RELATED_TO {key: source.id + ':' + target.id, tenant: $into, origin: 'discovered',
    strength: 0.9, model: 'm', threshold: 0.7, createdAt: datetime.realtime('Z')}]->(target)`

const queue = `CYPHER 25
  MATCH (n:Memory {tenant: $into}) WITH n LIMIT 2000
  CREATE (:Job {id: 'discover:' + $into + ':' + n.id + ':1', kind: 'discover', tenant: $into, memoryId: n.id, revision: 1, attempt: 8,
    state: 'failed', createdAt: datetime.realtime('Z'), runAt: datetime.realtime('Z'), lastError: 'canary'})
  CREATE (:Recall {id: n.id + ':0', tenant: $into, memoryId: n.id, at: datetime.realtime('Z')})`

const remove = `CYPHER 25
  MATCH (n:Memory|Job|Recall) WHERE n.tenant = $tenant
  WITH n LIMIT 4000
  DETACH DELETE n
  WITH count(*) AS removed WHERE removed > 0
  RETURN removed`
