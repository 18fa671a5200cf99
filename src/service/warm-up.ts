import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { App, Context } from '../context.ts'
import { examples } from '../contract/examples.ts'
import { type RouteName, routes } from '../contract/index.ts'
import { ServiceError } from '../contract/problems.ts'
import { findKey, markKeyUsed } from '../store/access/keys.ts'
import { recordRecalls } from '../store/memories/recalls.ts'
import { runOnce } from './access/idempotency.ts'
import { rehearseDiscovery } from './connections/rehearsal.ts'
import { surroundings } from './graph/context/index.ts'
import { invoke } from './index.ts'
import { toFilter } from './memories/filters.ts'
import { rehearsalContext } from './rehearsal.ts'

/** No caller's tenant has such a name. Neo4j plans a statement again for text of another order of magnitude. */
const SHORT = '(warm-up)'
const LONG = '(warm-up for longer names)'
const STEP_MS = 30_000
const PAUSE_MS = 20
/** How long it waits for a moment without requests before its next step. */
const LONGEST_PAUSE_MS = 1_000

type Invoked = Exclude<RouteName, 'getOpenApi'>
type Step = (ctx: Context) => Promise<unknown>

/**
 * Runs each operation once, so that Neo4j has planned the statements when a caller needs them: those that people try first
 * come first, and `prepare` comes after them. Nothing is written: each transaction is rolled back. Waits between the
 * operations, so that callers go first.
 */
export async function warmUp(
  app: App,
  signal: AbortSignal,
  prepare: () => Promise<unknown> = async () => {},
): Promise<void> {
  const began = performance.now()
  const first = [...stepsOf('createMemory'), rehearseDiscovery, ...FIRST.flatMap(stepsOf), ...contexts]
  const ofCallers = others.filter(name => routes[name].scope !== 'admin').flatMap(stepsOf)
  const ofAdministrators = others.filter(name => routes[name].scope === 'admin').flatMap(stepsOf)
  await run(app, SHORT, first, signal)
  if (!signal.aborted) await prepare()
  await run(app, SHORT, [...ofCallers, ...access, ...ofAdministrators], signal)
  await run(app, LONG, [...first, ...ofCallers], signal)
  app.log.debug({ ms: Math.round(performance.now() - began) }, 'the statements are planned')
}

async function run(app: App, tenant: string, steps: readonly Step[], signal: AbortSignal): Promise<void> {
  for (const step of steps) {
    if (signal.aborted) return
    await attempt(
      rehearsalContext(app, tenant, AbortSignal.any([signal, AbortSignal.timeout(STEP_MS)])),
      step,
    )
    await untilQuiet(app, signal)
  }
}

/** An operation that finds nothing has been planned as well. */
async function attempt(ctx: Context, step: Step): Promise<void> {
  await step(ctx).catch(error => {
    if (!(error instanceof ServiceError))
      ctx.log.debug({ error: String(error) }, 'a statement was not planned')
  })
}

async function untilQuiet({ semaphore }: App, signal: AbortSignal): Promise<void> {
  const until = performance.now() + LONGEST_PAUSE_MS
  do await pause(PAUSE_MS, undefined, { signal }).catch(() => {})
  while (semaphore.isTaken() && performance.now() < until)
}

/** Around so many hits. Neo4j plans a list of another order of magnitude for itself. */
const HITS = [1, 5, 20]

const contexts: Step[] = HITS.map(count => async ctx => {
  const ids = Array.from({ length: count }, () => randomUUID())
  await surroundings(ctx, ids, toFilter({ valid_at: 'now' }))
  await recordRecalls(
    ctx,
    ids.map(id => ({ tenant: ctx.tenant, id, key: id, at: Date.now() })),
  )
})

const access: Step[] = [
  ctx => findKey(ctx, randomUUID()),
  ctx => markKeyUsed(ctx, randomUUID()),
  ctx =>
    runOnce(
      ctx,
      { key: 'warm-up', operation: 'createMemory', input: {}, count: 1, credential: 'none' },
      async () => ({}),
      () => [randomUUID()],
    ),
]

/** What people try in the first minute, after they stored a memory. */
const FIRST: readonly Invoked[] = [
  'searchMemories',
  'listMemories',
  'getMemory',
  'relatedMemories',
  'createConnection',
  'updateMemory',
  'composeContext',
  'deleteMemory',
  'restoreMemory',
  'getStats',
]

/** These stand elsewhere, change the schema, remove step by step, or never end. */
const LEFT_OUT: readonly RouteName[] = [
  ...FIRST,
  'createMemory',
  'getOpenApi',
  'followChanges',
  'compareEmbeddingSpaces',
  'switchEmbeddingSpace',
  'deleteEmbeddingSpace',
  'eraseTenant',
]

const others = (Object.keys(routes) as RouteName[]).filter(
  (name): name is Invoked => !LEFT_OUT.includes(name) && routes[name].scope !== 'open',
)

/** Inputs other than the example's that lead to other statements. */
const MORE: { readonly [Name in Invoked]?: readonly object[] } = {
  createMemory: [{ ...examples.createMemory.input, on_duplicate: 'return' }],
  searchMemories: ['semantic', 'keyword', 'hybrid'].flatMap(search_type =>
    ['sourdough', 'what must pass before a deployment?'].map(query => ({ query, search_type })),
  ),
  deleteMemory: [{ id: examples.deleteMemory.input.id, hard: true }],
  listMemories: [{}],
  listConnections: [{}, { source_id: examples.findPath.input.source_id }],
  createConnection: [{ ...examples.findPath.output, relationship_type: 'related_to' }].map(
    ({ source_id, target_id, relationship_type }) => ({ source_id, target_id, relationship_type }),
  ),
}

const stepsOf = (name: Invoked): Step[] =>
  [examples[name].input, ...(MORE[name] ?? [])].map(input => async ctx => {
    const output = await invoke(name, ctx, input)
    if ('pieces' in output) for await (const _piece of output.pieces);
  })
