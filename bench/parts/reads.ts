import { type Contestant, PAGE, type Read, reads, titles } from '../contestants/contestant.ts'
import { createRawBest } from '../contestants/raw-best.ts'
import { createRawHttp } from '../contestants/raw-http.ts'
import { createRawNaive } from '../contestants/raw-naive.ts'
import { createService } from '../contestants/service.ts'
import { tenants } from '../corpus.ts'
import type { Findings, Options } from '../report.ts'
import { interleave, type Operation } from '../rounds.ts'
import { sizes, type World } from '../world.ts'

/** Calls of a round: with fewer, most of a round is its begin and its end. */
const CALLS = { 1: 40, 16: 192 } as const
/** What is quick is called so many times as often, or its round would be over in an instant. */
const TIMES: Partial<Record<Read, number>> = { keyword: 2, get: 8 }

/** All contestants for one corpus; they read the tenant that has most of it. */
export async function contestantsOf(world: World) {
  const { tenant, last, owned } = bigTenant(world)
  const service = await createService(world, tenant, 'written-service')
  const best = await createRawBest(world, tenant, 'written-best', last)
  const naive = createRawNaive(world, tenant, 'written-naive', owned - last)
  return { service, 'raw-best': best, 'raw-naive': naive }
}

/** The tenant that has most, and how many of its memories the service has on its last page: fewer than a hundred at some sizes. */
function bigTenant({ corpus }: Pick<World, 'corpus'>) {
  const owned = (corpus.size / 100) * tenants.big
  return { tenant: `${corpus.name}-big`, owned, last: owned % PAGE || PAGE }
}

/** Every read with one caller and with sixteen. */
export async function measureReads(
  world: World,
  { rounds = sizes[world.size].rounds }: Options,
): Promise<Findings> {
  const { tenant, last } = bigTenant(world)
  await using http = await createRawHttp(world, tenant, last)
  const contestants = { ...(await contestantsOf(world)), 'raw-http': http }
  await agree(contestants)
  const operations = reads.flatMap(name =>
    ([1, 16] as const).map(callers => operationOf(name, callers, contestants)),
  )
  const { warmUp } = sizes[world.size]
  const measured = await interleave(operations, { rounds, warmUp, say: world.say })
  return { operations: measured, flags: `--rounds ${rounds}` }
}

function operationOf(
  name: Read,
  callers: keyof typeof CALLS,
  contestants: Record<string, Pick<Contestant, Read>>,
): Operation {
  const runs = Object.entries(contestants).map(([who, contestant]) => [
    who,
    (at: number) => contestant[name](at),
  ])
  return {
    name: titles[name],
    callers,
    calls: CALLS[callers] * (TIMES[name] ?? 1),
    contestants: Object.fromEntries(runs),
  }
}

/** The share of answers that two must have in common to be compared. */
const COMMON: Readonly<Record<Read, number>> = {
  get: 1,
  firstPage: 1,
  lastPage: 1,
  // The index may miss one of the nearest, and the service weighs words less that are common with its tenant.
  semantic: 0.8,
  // The service scores few matches by the statistics of their tenant, the others all by those of the index.
  keyword: 0.3,
  // Words are a part of it, and constants and weights differ.
  hybrid: 0.3,
  // The strongest first, the nearest first, and whatever is met first: other hundreds where more can be reached.
  related: 0.1,
}

/** A contestant whose answer differs from raw-best is not measured. */
async function agree({
  'raw-best': best,
  ...others
}: { 'raw-best': Contestant } & Record<string, Pick<Contestant, Read>>) {
  for (const [who, other] of Object.entries(others))
    for (const name of reads) {
      const share = await commonOf(other[name], best[name])
      if (share < COMMON[name])
        throw new Error(
          `${name}: ${who} and raw-best share only ${(100 * share).toFixed(1)} % of their answers`,
        )
    }
}

async function commonOf(one: Contestant[Read], other: Contestant[Read]): Promise<number> {
  let shared = 0
  let all = 0
  for (let at = 0; at < 10; at++) {
    const [ones, others] = [await one(at), new Set(await other(at))]
    shared += ones.filter(id => others.has(id)).length
    all += Math.max(ones.length, others.size)
  }
  return all === 0 ? 0 : shared / all
}
