import { titles } from '../contestants/contestant.ts'
import { createService } from '../contestants/service.ts'
import { forgetJobs } from '../graph.ts'
import type { Findings, Options } from '../report.ts'
import { interleave, type Operation, type OperationResult } from '../rounds.ts'
import { sizes, type World } from '../world.ts'
import { contestantsOf } from './reads.ts'

const THRESHOLD = '0.7'

type Creators = Record<string, { create(call: number): Promise<unknown> }>

/** Creates with one caller and with 64: without a worker, then while one discovers what all contestants write. */
export async function measureWrites(
  world: World,
  { rounds = sizes[world.size].rounds }: Options,
): Promise<Findings> {
  const contestants = await contestantsOf(world)
  const alone = await measure(world, rounds, titles.create, contestants)
  const busy = await measureBusy(world, rounds, contestants)
  await forgetJobs(world.driver, 'written-')
  return { operations: [...alone, ...busy], flags: `--rounds ${rounds}` }
}

async function measureBusy(world: World, rounds: number, { 'raw-best': best }: Creators) {
  await using working = await world.another({
    SERVICE_ROLE: 'all',
    SERVICE_AUTO_DISCOVERY_THRESHOLD: THRESHOLD,
  })
  const service = await createService({ ...world, service: working }, 'written-service', 'written-service')
  const contestants = { service, ...(best && { 'raw-best': best }) }
  return await measure(world, rounds, `${titles.create} while the worker discovers`, contestants)
}

function measure(
  { size, say }: World,
  rounds: number,
  name: string,
  contestants: Creators,
): Promise<OperationResult[]> {
  const creates = Object.entries(contestants).map(([who, { create }]) => [
    who,
    (call: number) => create(call),
  ])
  const operation = (callers: number, calls: number): Operation => ({
    name,
    callers,
    calls,
    contestants: Object.fromEntries(creates),
  })
  return interleave([operation(1, 40), operation(64, 1024)], { rounds, warmUp: sizes[size].warmUp, say })
}
