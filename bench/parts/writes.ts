import { titles } from '../contestants/contestant.ts'
import { forgetJobs } from '../graph.ts'
import type { Findings, Options } from '../report.ts'
import { interleave } from '../rounds.ts'
import { sizes, type World } from '../world.ts'
import { contestantsOf } from './reads.ts'

/** Creates with one caller and with 64. */
export async function measureWrites(
  world: World,
  { rounds = sizes[world.size].rounds }: Options,
): Promise<Findings> {
  const contestants = await contestantsOf(world)
  const operation = (callers: number, calls: number) => ({
    name: titles.create,
    callers,
    calls,
    contestants: Object.fromEntries(
      Object.entries(contestants).map(([who, contestant]) => [who, (at: number) => contestant.create(at)]),
    ),
  })
  const { warmUp } = sizes[world.size]
  const operations = await interleave([operation(1, 40), operation(64, 1024)], {
    rounds,
    warmUp,
    say: world.say,
  })
  await forgetJobs(world.driver, 'written-')
  return { operations, flags: `--rounds ${rounds}` }
}
