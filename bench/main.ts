import { parseArgs } from 'node:util'
import { circumstances, revision } from '../tools/run-conditions.ts'
import { measureCommunities } from './parts/communities.ts'
import { measureConnections } from './parts/connections.ts'
import { measureDiscovery } from './parts/discovery.ts'
import { measureFirstMinute } from './parts/first-minute.ts'
import { measureForgetting } from './parts/forgetting.ts'
import { measureModel } from './parts/model.ts'
import { measureNeighbours } from './parts/neighbours.ts'
import { measureProfile } from './parts/profile.ts'
import { measureReads } from './parts/reads.ts'
import { measureRecall } from './parts/recall.ts'
import { measureScale } from './parts/scale.ts'
import { measureSoak } from './parts/soak.ts'
import { measureTenants } from './parts/tenants.ts'
import { measureTracing } from './parts/tracing.ts'
import { measureWalks } from './parts/walks.ts'
import { measureWrites } from './parts/writes.ts'
import { type Findings, keepResult, type Options, type Part, writePages } from './report.ts'
import { type Size, sizes, startWorld, type World } from './world.ts'

/** In the order in which they run: what adds memories comes after what looks for those of the corpus. */
const parts: Record<Part, (world: World, options: Options) => Promise<Findings>> = {
  'first-minute': measureFirstMinute,
  model: measureModel,
  recall: measureRecall,
  reads: measureReads,
  walks: measureWalks,
  scale: measureScale,
  profile: measureProfile,
  writes: measureWrites,
  connections: measureConnections,
  neighbours: measureNeighbours,
  discovery: measureDiscovery,
  soak: measureSoak,
  forgetting: measureForgetting,
  tracing: measureTracing,
  tenants: measureTenants,
  communities: measureCommunities,
}

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: 'small' },
    only: { type: 'string', multiple: true, default: ['reads', 'writes'] },
    /** Another number of rounds than the size or the part has. */
    rounds: { type: 'string' },
    /** How long a soak lasts. */
    minutes: { type: 'string', default: '30' },
    /** Only rewrites the pages from the kept results. */
    pages: { type: 'boolean', default: false },
  },
})
const size = values.size as Size
if (!(size in sizes)) throw new Error(`There is no size ${size}, only ${Object.keys(sizes).join(', ')}`)
for (const name of values.only)
  if (!(name in parts)) throw new Error(`There is no ${name}, only ${Object.keys(parts).join(', ')}`)
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => process.exit(1))

if (values.pages) {
  await writePages()
  process.exit()
}

const began = revision()
const say = (line: string) => process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
const options = {
  ...(values.rounds === undefined ? {} : { rounds: Number(values.rounds) }),
  minutes: Number(values.minutes),
}
await using world = await startWorld(size, say)
for (const part of (Object.keys(parts) as Part[]).filter(name => values.only.includes(name))) {
  const findings = await parts[part](world, options)
  await keepResult({ part, size, memories: world.corpus.size, ...findings, ...circumstances(began) })
}
