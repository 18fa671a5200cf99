import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { App, Context } from '../context.ts'
import { ends, ids, newRule } from '../contract/examples/world.ts'
import { exampleOf } from '../contract/examples.ts'
import type { RouteName } from '../contract/index.ts'
import { newMemory } from '../contract/memory.ts'
import { findKey } from '../store/access/keys.ts'
import { recordRecalls } from '../store/memories/recalls.ts'
import { putSamples, removeSamples } from '../store/warm-up.ts'
import { dryRunDiscovery } from './connections/dry-run.ts'
import { dryRunContext } from './dry-run.ts'
import { findBridges } from './graph/context/bridges.ts'
import { invoke } from './index.ts'
import { toFilter } from './memories/filters.ts'

/** No caller's tenant has such a name. */
const TENANT = '(warm-up)'
const STEP_MS = 30_000
const PAUSE_MS = 20
/** Who has called calls again at once: a step that begins in between would make that call wait. */
const QUIET_MS = 1_000

type Step = (ctx: Context) => Promise<unknown>

/**
 * Runs what people try first, so that Neo4j has planned the statements when a caller needs them. It finds a few memories of
 * a tenant of its own, which are removed at the end; what it writes itself is rolled back. It makes one step at a time,
 * and none while callers are there.
 */
export async function warmUp(app: App, signal: AbortSignal): Promise<void> {
  const began = performance.now()
  if (signal.aborted) return
  await attempt(ownContext(app), putAll)
  try {
    for (const step of STEPS) {
      await untilQuiet(app, signal)
      if (signal.aborted) return
      await attempt(dryRunContext(app, TENANT, AbortSignal.any([signal, AbortSignal.timeout(STEP_MS)])), step)
    }
  } finally {
    await attempt(ownContext(app), removeSamples)
  }
  app.log.debug({ ms: Math.round(performance.now() - began) }, 'the first statements are planned')
}

/** What is done here is not rolled back, also while the service stops. */
const ownContext = (app: App): Context => ({
  ...dryRunContext(app, TENANT, AbortSignal.timeout(STEP_MS)),
  app,
})

async function putAll(ctx: Context) {
  const [embedding = null] = await ctx.embedder.embed([CONTENT], { kind: 'document', signal: ctx.signal })
  const memory = newMemory.parse({ content: CONTENT, policy: 'long_term', ttl_seconds: 0 })
  await putSamples(
    ctx,
    SAMPLES.map(id => ({ ...memory, id, sensitive: [], embedding })),
  )
}

async function attempt(ctx: Context, step: Step): Promise<void> {
  await step(ctx).catch(error => ctx.app.log.debug({ error: String(error) }, 'a statement was not planned'))
}

async function untilQuiet({ semaphore }: App, signal: AbortSignal): Promise<void> {
  while (semaphore.quietMs() < QUIET_MS && !signal.aborted)
    await pause(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {})
}

const of =
  <Name extends Exclude<RouteName, 'getOpenApi'>>(name: Name, input: object = exampleOf(name).input): Step =>
  ctx =>
    invoke(name, ctx, input)

const { incident, rule } = ids
/** Another text than that of the create, which would be answered with the sample. */
const CONTENT = 'A sample that is there while the service warms up.'
const SAMPLES = [rule, incident]

const STEPS: readonly Step[] = [
  of('createMemory'),
  of('listMemories', {}),
  of('searchMemories'),
  ctx => findKey(ctx, randomUUID()),
  dryRunDiscovery,
  of('getMemory'),
  ctx => recordRecalls(ctx, [{ tenant: TENANT, id: incident, key: randomUUID(), at: Date.now() }]),
  of('relatedMemories'),
  of('createConnection', { ...ends, relationship_type: 'related_to' }),
  of('updateMemory', { id: rule, content: newRule.content }),
  of('composeContext'),
  ctx => findBridges(ctx, SAMPLES, toFilter({ valid_at: 'now' })),
  of('deleteMemory'),
  of('getStats'),
  of('updateMemory', { id: rule, importance: 0.9 }),
  of('listConnections', {}),
  of('findPath', ends),
  of('relatedMemories', { id: rule }),
  of('restoreMemory'),
  of('planMaintenance', {}),
]
