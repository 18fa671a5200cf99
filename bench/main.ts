import { parseArgs } from 'node:util'
import { circumstances, revision } from '../test/support/circumstances.ts'
import { measureDiscovery } from './parts/discovery.ts'
import { measureProfile } from './parts/profile.ts'
import { measureReads } from './parts/reads.ts'
import { measureRecall } from './parts/recall.ts'
import { measureWrites } from './parts/writes.ts'
import { type Findings, keepResult, type Part, writePage } from './report.ts'
import { type Size, sizes, startWorld, type World } from './world.ts'

const parts: Record<Part, (world: World, rounds: number) => Promise<Findings>> = {
  reads: measureReads,
  writes: measureWrites,
  recall: measureRecall,
  discovery: measureDiscovery,
  profile: measureProfile,
}

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: 'small' },
    only: { type: 'string', multiple: true, default: ['reads', 'writes'] },
    /** Another number of rounds than the size has. */
    rounds: { type: 'string' },
    /** Only writes the page anew from the results that are kept. */
    page: { type: 'boolean', default: false },
  },
})
const size = values.size as Size
if (!(size in sizes)) throw new Error(`There is no size ${size}, only ${Object.keys(sizes).join(', ')}`)
for (const name of values.only)
  if (!(name in parts)) throw new Error(`There is no ${name}, only ${Object.keys(parts).join(', ')}`)
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => process.exit(1))

if (values.page) {
  writePage()
  process.exit()
}

const began = revision()
const say = (line: string) => process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
const rounds = values.rounds === undefined ? sizes[size].rounds : Number(values.rounds)
await using world = await startWorld(size, say)
for (const part of values.only as Part[]) {
  const findings = await parts[part](world, rounds)
  keepResult({ part, size, memories: world.corpus.size, rounds, ...findings, ...circumstances(began) })
}
