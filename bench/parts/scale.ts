import { join } from 'node:path'
import { vectorIndex } from '../../src/store/embeddings/spaces.ts'
import { type Contestant, operations, titles } from '../contestants/contestant.ts'
import { createService } from '../contestants/service.ts'
import { tenants } from '../corpus.ts'
import { forgetJobs, run, space, untilIndexed } from '../graph.ts'
import { diskOf, memoryOf, neo4jOf } from '../processes.ts'
import type { Findings } from '../report.ts'
import { measure, warmUp } from '../rounds.ts'
import type { World } from '../world.ts'
import { ownedBy, recallOf, type Tenant } from './recall.ts'

/** Calls of each operation. */
const CALLS = { 1: 200, 16: 800 } as const

/** A million take one thread of Neo4j longer than a quarter of an hour. */
const REBUILT_AT_MOST = 100_000

/** What grows with the number of memories, and what does not: the service alone, over HTTP. */
export async function measureScale(world: World): Promise<Findings> {
  const { service, corpus, folder, driver, say } = world
  const figures: Record<string, string | number> = {}
  const note = (name: string, value: string | number) => {
    figures[name] = value
    say(`${name}: ${value}`)
  }
  const data = join(folder, 'neo4j', 'home', 'data')
  note('loaded in bulk', `${Math.round(world.loaded).toLocaleString('en')} a second`)
  const contestant = await createService(world, `${corpus.name}-big`, 'written-scale')
  for (const name of operations)
    for (const callers of [1, 16] as const) {
      await warmUp(contestant[name], { callers, calls: CALLS[callers] / 5 })
      const { p50, p99, perSecond } = await measure(contestant[name], { callers, calls: CALLS[callers] })
      const figure = `${p50.toFixed(1)} / ${p99.toFixed(1)} ms, ${perSecond.toFixed(0)}/s`
      note(`${titles[name]}, ${callers === 1 ? 'one caller' : `${callers} callers`}, p50 / p99`, figure)
    }
  for (const [title, figure] of await besideAnother(world, contestant)) note(title, figure)
  for (const tenant of Object.keys(tenants) as Tenant[]) {
    const recall = await recallOf(service, corpus, ownedBy(corpus, tenant), { tenant })
    note(`recall@10, tenant with ${tenants[tenant]} %`, recall.toFixed(4))
  }
  note('memory of the service, highest', `${memoryOf(service.pid).highest} MiB`)
  note('memory of Neo4j, highest', `${memoryOf(neo4jOf(folder)).highest} MiB`)
  note('disk, the data', `${diskOf(join(data, 'databases')).toLocaleString('en')} MiB`)
  note('disk, the transaction logs', `${diskOf(join(data, 'transactions')).toLocaleString('en')} MiB`)
  if (corpus.size <= REBUILT_AT_MOST) {
    note('vector index rebuilt', `${(await rebuild(world)).toFixed(1)} s`)
    await warmUp(contestant.semantic, { callers: 1, calls: 100 })
    const { p50, p99 } = await measure(contestant.semantic, { callers: 1, calls: CALLS[1] })
    note('semantic search after that, one caller, p50 / p99', `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`)
  }
  await forgetJobs(driver, 'written-scale')
  return { figures }
}

const CALLERS = 16

/** What a second service on the same machine adds: half of the callers ask each. */
async function besideAnother(world: World, one: Contestant): Promise<[string, string][]> {
  await using service = await world.another({ SERVICE_ROLE: 'api' })
  const other = await createService({ ...world, service }, `${world.corpus.name}-big`, 'written-scale')
  const figure: [string, string][] = []
  for (const name of ['get', 'hybrid'] as const) {
    const both = (call: number) => (call % 2 === 0 ? one : other)[name](call)
    await warmUp(both, { callers: CALLERS, calls: CALLS[CALLERS] / 5 })
    const { perSecond } = await measure(both, { callers: CALLERS, calls: CALLS[CALLERS] })
    const alone = await measure(one[name], { callers: CALLERS, calls: CALLS[CALLERS] })
    const ratio = perSecond / alone.perSecond
    figure.push([
      `${titles[name]}, ${CALLERS} callers on two services`,
      `${perSecond.toFixed(0)}/s, × ${ratio.toFixed(2)} of one`,
    ])
  }
  return figure
}

/** Seconds until the vector index, rebuilt over all memories, can be used. */
async function rebuild({ driver }: World): Promise<number> {
  await run(driver, `DROP INDEX ${space.index}`)
  const began = performance.now()
  await run(driver, `CYPHER 25 ${vectorIndex(space)}`)
  await untilIndexed(driver)
  return (performance.now() - began) / 1000
}
