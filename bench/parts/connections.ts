import { inGroups } from '../contestants/group-commit.ts'
import { GROUP } from '../contestants/raw-best.ts'
import { askOf } from '../contestants/service.ts'
import { idOf, tenantAt } from '../corpus.ts'
import { run } from '../graph.ts'
import type { Findings, Options } from '../report.ts'
import { interleave, type Operation } from '../rounds.ts'
import { sizes, type World } from '../world.ts'

const BATCH = 500
/** Of the batches, and of those that are created one by one: no pair occurs in both. */
const TYPES = { batch: 'supports', single: 'references' } as const

/** Connections created in batches by one caller, and one by one by 64. */
export async function measureConnections(
  world: World,
  { rounds = sizes[world.size].rounds }: Options,
): Promise<Findings> {
  const operations = await interleave([batches(world), singles(world)], {
    rounds,
    warmUp: sizes[world.size].warmUp,
    say: world.say,
  })
  return { operations, flags: `--rounds ${rounds}` }
}

function batches(world: World): Operation {
  const { tenant, ask, pair, store } = work(world)
  const batch = (call: number) => Array.from({ length: BATCH }, (_, at) => pair(call * BATCH + at))
  return {
    name: `batch of ${BATCH} connections`,
    callers: 1,
    calls: 6,
    contestants: {
      service: call =>
        ask(tenant, 'POST', '/connections/batch', {
          connections: batch(call).map(each => body(each, TYPES.batch)),
        }),
      'raw-best': call => store(batch(call), TYPES.batch),
    },
  }
}

function singles(world: World): Operation {
  const { tenant, ask, pair, store } = work(world)
  const storeOne = inGroups<Pair>(GROUP, rows => store(rows, TYPES.single))
  return {
    name: 'create a connection',
    callers: 64,
    calls: 1024,
    contestants: {
      service: call => ask(tenant, 'POST', '/connections', body(pair(call), TYPES.single)),
      'raw-best': call => storeOne(pair(call)),
    },
  }
}

type Pair = { source: string; target: string }

const body = ({ source, target }: Pair, relationship_type: string) => ({
  source_id: source,
  target_id: target,
  relationship_type,
  strength: STRENGTH,
})

const STRENGTH = 0.5

function work({ corpus, driver, service }: World) {
  const tenant = `${corpus.name}-big`
  const own = Array.from({ length: corpus.size }, (_, at) => at).filter(at => tenantAt(at) === 'big')
  const idAt = (at: number) => idOf(corpus.name, own[at % own.length] as number)
  return {
    tenant,
    ask: askOf(service.url),
    /** Another pair of memories for each number. */
    pair: (at: number): Pair => ({ source: idAt(at), target: idAt(at + 1 + Math.floor(at / own.length)) }),
    store: (rows: Pair[], type: string) =>
      run(driver, connectRows(type), { tenant, rows, strength: STRENGTH }),
  }
}

/** As the service stores them, with their changes in the feed. Both ends are locked by the connection itself. */
const connectRows = (type: string) => `CYPHER 25
  UNWIND $rows AS row
  MATCH (source:Memory {tenant: $tenant, id: row.source})
  MATCH (target:Memory {tenant: $tenant, id: row.target})
  MERGE (source)-[r:${type.toUpperCase()}]->(target)
  ON CREATE SET r.key = $tenant + ':' + row.source + ':' + row.target, r.tenant = $tenant, r.strength = $strength,
    r.origin = 'asserted', r.createdAt = datetime.truncate('millisecond', datetime.realtime('Z'))
  CREATE (:Change {tenant: $tenant, unnumbered: $tenant, at: datetime.realtime('Z'), kind: 'connected',
    memoryId: row.source, targetId: row.target, type: '${type}', strength: $strength, origin: 'asserted'})`
