import { counted } from '../feed/record.ts'
import { jobOfMemory, queueDiscovery } from '../jobs/enqueue.ts'
import type { Caller } from './attempts.ts'
import { clear } from './clear.ts'
import { connectionKey } from './projections.ts'
import { read } from './statements.ts'
import { liveUntil } from './tokens.ts'

/**
 * The invariants of the graph (docs/reference/graph-model.md), as statements that find where it does not. They look at all tenants,
 * for the operator, and return ids, never content.
 */
type Rule = {
  readonly name: string
  /** The violation, after the number of them. */
  readonly fault: string
  /** Binds each violation to `x`, with its tenant and a name for it as `tenant` and `id`. */
  readonly find: string
  /** Changes `x` to what it should be; absent where a person must decide. */
  readonly repair?: string
  /** The effect of the repair, or the advice instead of one. */
  readonly remedy: string
}

const hasMemory = 'EXISTS { MATCH (m:Memory) WHERE m.tenant = x.tenant AND m.id = x.memoryId }'
const hasRemoved = 'EXISTS { MATCH (m:RemovedMemory) WHERE m.tenant = x.tenant AND m.id = x.memoryId }'
const hasDiscovery = `EXISTS { MATCH (j:Job {id: ${jobOfMemory('discover', 'x')}}) }`
const deletesThem = { repair: 'DELETE x', remedy: 'deletes them' }
const named = (id: string) => `WITH x, x.tenant AS tenant, ${id} AS id`
const namedBetween = `WITH x, a.tenant AS tenant, coalesce(a.id, '?') + ' ' + type(x) + ' ' + coalesce(b.id, '?') AS id`

/** Parts of a memory outlive it only as long as its removal can be undone. */
const orphans = (name: string, label: string): Rule => ({
  name,
  fault: `${name} are of memories that do not exist`,
  find: `MATCH (x:${label}) WHERE NOT ${hasMemory} AND NOT ${hasRemoved}
      ${named('x.memoryId')}`,
  ...deletesThem,
})

const rules: readonly Rule[] = [
  {
    name: 'tenants',
    fault: 'connections join memories of two tenants, or belong to another one',
    find: `MATCH (a:Memory)-[x:!MAY_CONTRADICT]->(b:Memory) WHERE a.tenant <> b.tenant OR x.tenant IS NULL OR x.tenant <> a.tenant
      ${namedBetween}`,
    ...deletesThem,
  },
  {
    name: 'loops',
    fault: 'connections lead from a memory to itself',
    find: `MATCH (a:Memory)-[x]->(b:Memory) WHERE a = b ${namedBetween}`,
    ...deletesThem,
  },
  {
    name: 'pairs',
    fault: 'memories have discovered connections in both directions',
    find: `MATCH (a:Memory)-[x:RELATED_TO]->(b:Memory)-[y:RELATED_TO]->(a)
      WHERE x.origin = 'discovered' AND y.origin = 'discovered' AND elementId(x) > elementId(y)
      ${namedBetween}`,
    repair: 'DELETE x',
    remedy: 'deletes the later one of each two',
  },
  {
    name: 'keys',
    fault: 'connections have the key of another one',
    find: `MATCH (a:Memory)-[x:!MAY_CONTRADICT]->(b:Memory) WHERE a.tenant = b.tenant AND a <> b
        AND (x.key IS NULL OR x.key <> ${connectionKey('a.tenant', 'a', 'b')})
      ${namedBetween}`,
    remedy: 'connect the memories again through the API, then delete these',
  },
  {
    name: 'discovery',
    fault: 'active memories wait for a discovery that is not queued',
    find: `MATCH (x:Memory) WHERE x.state = 'active' AND coalesce(x.discoveredRevision, -1) <> x.revision
        AND NOT ${hasDiscovery}
      ${named('x.id')}`,
    repair: `WITH x AS m ${queueDiscovery}`,
    remedy: 'queues their discovery',
  },
  {
    name: 'vectors',
    fault: 'active memories have no vector of the active space, and none is queued',
    find: `MATCH (setting:Setting {name: 'activeSpace'}) MATCH (space:EmbeddingSpace {id: setting.value})
      MATCH (x:Memory) WHERE x.state = 'active' AND x[space.property] IS NULL AND x.discoveredRevision = x.revision
        AND NOT EXISTS { MATCH (j:Job) WHERE j.tenant = x.tenant AND j.memoryId = x.id }
      ${named('x.id')}`,
    repair: `WITH x AS m ${queueDiscovery}`,
    remedy: 'queues their discovery, which makes the vector',
  },
  {
    name: 'times',
    fault: 'memories are found by searches for another time than their state and time limit say',
    find: `MATCH (x:Memory) WHERE x.liveUntil IS NULL OR x.liveUntil <> ${liveUntil('x')}
      ${named('x.id')}`,
    repair: `SET x.liveUntil = ${liveUntil('x')}`,
    remedy: 'computes the time again',
  },
  {
    name: 'words',
    fault: 'memories cannot be found by words',
    find: `MATCH (x:Memory) WHERE x.words IS NULL
      ${named('x.id')}`,
    remedy: 'write their contents again through the API',
  },
  {
    name: 'values',
    fault: 'memories have an importance outside 0 to 1, or a health outside 0 to 100',
    find: `MATCH (x:Memory) WHERE NOT 0 <= x.importance <= 1 OR NOT 0 <= x.health <= 100
      ${named('x.id')}`,
    repair: `SET x.importance = CASE WHEN x.importance > 1 THEN 1.0 WHEN x.importance < 0 THEN 0.0 ELSE x.importance END,
      x.health = CASE WHEN x.health > 100 THEN 100.0 WHEN x.health < 0 THEN 0.0 ELSE x.health END`,
    remedy: 'sets them to the nearest bound',
  },
  {
    name: 'jobs',
    fault: 'jobs are about memories that do not exist',
    find: `MATCH (x:Job) WHERE x.memoryId IS NOT NULL AND x.state <> 'running' AND NOT ${hasMemory}
      ${named('x.id')}`,
    ...deletesThem,
  },
  orphans('recalls', 'Recall'),
  orphans('versions', 'Version'),
  {
    name: 'deliveries',
    fault: 'deliveries are for webhooks that do not exist',
    find: `MATCH (x:Delivery) WHERE NOT EXISTS { MATCH (w:Webhook {id: x.webhook}) }
      ${named('x.id')}`,
    ...deletesThem,
  },
  {
    name: 'counted',
    fault: 'memories are not counted as they are',
    find: `MATCH (x:Memory) WHERE x.counted IS NULL OR x.counted <> ${counted('x')}
      ${named('x.id')}`,
    repair: `SET x.counted = ${counted('x')}`,
    remedy: 'counts them again',
  },
  {
    name: 'usage',
    fault: 'tenants have other sums of their memories than they store',
    find: `MATCH (x:Feed)
      CALL (x) {
        MATCH (m:Memory) WHERE m.tenant = x.tenant
        RETURN [count(m), count(CASE m.state WHEN 'archived' THEN 1 END), sum(size(m.content))] AS stored
      }
      CALL (x) {
        MATCH (c:Change) WHERE c.unnumbered = x.tenant AND c.at IS NOT NULL
        RETURN [sum(c.usage[0]), sum(c.usage[1]), sum(c.usage[2])] AS pending
      }
      WITH x, stored, pending
      WHERE [coalesce(x.memories, 0) + pending[0], coalesce(x.archived, 0) + pending[1],
        coalesce(x.characters, 0) + pending[2]] <> stored
      WITH x, stored, pending, x.tenant AS tenant, 'usage' AS id`,
    repair: `SET x.memories = stored[0] - pending[0], x.archived = stored[1] - pending[1],
      x.characters = stored[2] - pending[2]`,
    remedy: 'counts the memories of these tenants again',
  },
  {
    name: 'feed',
    fault: 'changes have numbers behind the end of their feed',
    find: `MATCH (f:Feed) MATCH (x:Change) WHERE x.tenant = f.tenant AND x.number > f.last
      WITH x, x.tenant AS tenant, toString(x.number) AS id`,
    remedy: 'restore a backup: readers of the feed may have missed changes',
  },
  {
    name: 'locks',
    fault: 'memories and texts are locked outside a transaction',
    find: `CALL () {
        MATCH (x:Memory) WHERE x.lock IS NOT NULL OR x.isNew IS NOT NULL RETURN x
        UNION
        MATCH (x:TextLock) RETURN x
      }
      WITH x, x.tenant AS tenant, coalesce(x.id, x.key) AS id`,
    repair: `REMOVE x.lock, x.isNew
      FOREACH (_ IN CASE WHEN x:TextLock THEN [1] ELSE [] END | DETACH DELETE x)`,
    remedy: 'unlocks them',
  },
]

export type Broken = { rule: Rule; count: number; examples: string[] }

/** All violations, rule by rule. `began` is called with the name of each rule. */
export async function findBroken(caller: Caller, began: (name: string) => void): Promise<Broken[]> {
  const broken: Broken[] = []
  for (const rule of rules) {
    began(rule.name)
    const [row] = await read<{ count: number; examples: string[] }>(
      caller,
      `${rule.find}
      RETURN count(*) AS count, collect(coalesce(tenant, '?') + ' ' + coalesce(id, '?'))[..3] AS examples`,
    )
    if (row && row.count > 0) broken.push({ rule, ...row })
  }
  return broken
}

/** Repairs all that a rule finds, in transactions of bounded size. */
export const repairBroken = (caller: Caller, { find, repair }: Rule): Promise<void> =>
  repair === undefined
    ? Promise.resolve()
    : clear(
        caller,
        `${find}
        WITH * LIMIT $most
        ${repair}
        RETURN count(*) AS cleared`,
        {},
      )
