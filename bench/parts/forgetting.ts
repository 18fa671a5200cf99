import { askOf, createService } from '../contestants/service.ts'
import { forgetJobs } from '../graph.ts'
import type { Findings } from '../report.ts'
import { searching } from '../while-searching.ts'
import type { World } from '../world.ts'

const MANY = 10_000
const BATCH = 500
const QUIET_SEARCHES = 500

/** Many memories of one source are forgotten, plan by plan, among all others of the tenant and during searches. */
export async function measureForgetting(world: World): Promise<Findings> {
  const tenant = `${world.corpus.name}-big`
  const many = Math.min(MANY, world.corpus.size)
  const { semantic } = await createService(world, tenant, tenant)
  const source = 'a source to forget'
  await store(world, { tenant, source, many })
  const quiet = await searching(semantic, Promise.resolve(), QUIET_SEARCHES)
  const began = performance.now()
  const forgetting = forget(world, tenant, source)
  const busy = await searching(semantic, forgetting, 0)
  const { memories, plans } = await forgetting
  const seconds = (performance.now() - began) / 1000
  if (memories !== many) throw new Error(`${memories} of ${many} memories were forgotten`)
  const times = ({ p50, p99 }: typeof quiet) => `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`
  const figures = {
    'memories of one source': memories,
    'plans made and applied': plans,
    seconds: seconds.toFixed(1),
    'searches before, p50 / p99': times(quiet),
    'searches in the meantime, p50 / p99': times(busy),
    'p99 in the meantime over p99 before': `× ${(busy.p99 / quiet.p99).toFixed(2)}`,
  }
  world.say(JSON.stringify(figures, null, 2))
  return { figures }
}

/** Memories past the end of the corpus. */
async function store({ corpus, service, driver }: World, { tenant, source, many }: Stored) {
  const ask = askOf(service.url)
  for (let from = 0; from < many; from += BATCH) {
    const memories = Array.from({ length: Math.min(BATCH, many - from) }, (_, at) => {
      const { content, tags, importance } = corpus.memory(2 * corpus.size + from + at)
      return { content, tags, importance, source, policy: 'long_term', ttl_seconds: 0 }
    })
    await ask(tenant, 'POST', '/memories/batch', { memories })
  }
  await forgetJobs(driver, tenant)
}

type Stored = { tenant: string; source: string; many: number }

async function forget({ service }: World, tenant: string, source: string) {
  const ask = askOf(service.url)
  const found = { memories: 0, plans: 0 }
  for (let more = true; more; ) {
    const plan = (await ask(tenant, 'POST', '/maintenance/plan', {
      kind: 'forget',
      filters: { source },
    })) as { plan_id: string; changes: unknown[]; truncated: boolean }
    const { applied } = (await ask(tenant, 'POST', `/maintenance/plans/${plan.plan_id}/apply`)) as {
      applied: number
    }
    found.memories += applied
    found.plans += 1
    more = plan.truncated
  }
  return found
}
