import { operations as all, type Contestant, titles } from '../contestants/contestant.ts'
import { createRawBest } from '../contestants/raw-best.ts'
import { createRawNaive } from '../contestants/raw-naive.ts'
import { createService } from '../contestants/service.ts'
import type { Findings, Options } from '../report.ts'
import { interleave, type Operation } from '../rounds.ts'
import type { World } from '../world.ts'

type Read = Exclude<keyof Contestant, 'create'>

const reads = all.filter((name): name is Read => name !== 'create')

/** Calls of a round: with fewer, most of a round is its begin and its end. */
const CALLS = { 1: 40, 16: 192 } as const

/** All contestants for one corpus; they read the tenant that has most of it. */
export async function contestantsOf(world: World) {
  const tenant = `${world.corpus.name}-big`
  const service = await createService(world, tenant, 'written-service')
  const best = await createRawBest(world, tenant, 'written-best')
  const last = Math.floor(world.corpus.size * 0.89) - 100
  return { service, 'raw-best': best, 'raw-naive': createRawNaive(world, tenant, 'written-naive', last) }
}

/** Every read with one caller and with sixteen. */
export async function measureReads(world: World, { rounds }: Options): Promise<Findings> {
  const contestants = await contestantsOf(world)
  await agree(contestants)
  const operations = reads.flatMap(name =>
    ([1, 16] as const).map(callers => operationOf(name, callers, contestants)),
  )
  return { operations: await interleave(operations, rounds, world.say), flags: `--rounds ${rounds}` }
}

function operationOf(
  name: Read,
  callers: keyof typeof CALLS,
  contestants: Record<string, Contestant>,
): Operation {
  const runs = Object.entries(contestants).map(([who, contestant]) => [
    who,
    (at: number) => contestant[name](at),
  ])
  return {
    name: titles[name],
    callers,
    calls: CALLS[callers],
    contestants: Object.fromEntries(runs),
  }
}

/** Whoever answers something else is not measured: the service and raw-best find the same. */
async function agree({ service, 'raw-best': best }: Record<'service' | 'raw-best', Contestant>) {
  const same = async (name: Read, least: number) => {
    let shared = 0
    let all = 0
    for (let at = 0; at < 10; at++) {
      const [one, other] = [
        (await service[name](at)) as string[],
        new Set((await best[name](at)) as string[]),
      ]
      shared += one.filter(id => other.has(id)).length
      all += Math.max(one.length, other.size)
    }
    if (all === 0 || shared / all < least)
      throw new Error(`${name}: only ${shared} of ${all} answers are shared`)
  }
  await same('semantic', 0.95)
  await same('firstPage', 1)
  await same('lastPage', 0)
  await same('keyword', 0.3)
  await same('related', 0.1)
}
