import { parseArgs } from 'node:util'
import { revision } from '../../tools/run-conditions.ts'
import { claims } from './claims.ts'
import { cluster } from './cluster.ts'
import { commit } from './commit.ts'
import { neo4j } from './neo4j.ts'
import { keepResult, timesOf, writePage } from './report.ts'
import { runScenario, type Scenario, startWorld, type Tier } from './run.ts'
import { service } from './service.ts'
import { spaces } from './spaces.ts'
import { stall } from './stall.ts'

const scenarios: Record<string, Scenario> = { service, neo4j, commit, claims, spaces, stall, cluster }

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    tier: { type: 'string', default: 'small' },
    /** Another number of faults than the tier has. */
    times: { type: 'string' },
    /** A scenario begins no further fault after this time. */
    minutes: { type: 'string' },
    /** Only rewrites the page from the kept results. */
    page: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: Object.keys(scenarios) },
  },
})
const tier: Tier = values.tier === 'full' ? 'full' : 'small'
const times = values.times === undefined ? undefined : Number(values.times)
const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
const seed = Number(values.seed)
for (const name of values.only)
  if (!scenarios[name]) throw new Error(`There is no ${name}, only ${Object.keys(scenarios).join(', ')}`)
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => process.exit(1))

if (values.page) {
  writePage()
  process.exit()
}

const say = (line: string) => process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
say(`seed ${seed}, ${tier} tier: ${values.only.join(', ')}`)
await using world = await startWorld()
for (const name of values.only) {
  const began = revision()
  const result = await runScenario(world, name, scenarios[name] as Scenario, {
    tier,
    seed,
    times,
    minutes,
    say,
  })
  const durations = Object.entries(result.durations).map(([what, all]) => [what, timesOf(all)])
  say(JSON.stringify({ ...result, durations: Object.fromEntries(durations) }, null, 2))
  if (result.faults.length > 0) process.exitCode = 1
  if (tier === 'full') keepResult(result, began)
}
