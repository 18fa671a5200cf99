import { expect, inject, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { seededRandom } from '../../tools/seeded-random.ts'
import { type ChildService, startChildService } from '../support/child-service.ts'
import { seedOfRun } from '../support/runs.ts'
import { endpointSettings, freshTenant, OPERATOR_KEY, withService } from '../support/service.ts'
import { compare } from './compare.ts'
import { below, chooseStep, type Step, TOPICS } from './steps.ts'
import { chooseWideStep } from './wide-steps.ts'
import { World } from './world.ts'

/** MNEMOGRAPH_TEST_SEQUENCES=500 runs as many. The seed fixes what is called, and in which order. */
const sequences = Number(process.env.MNEMOGRAPH_TEST_SEQUENCES ?? 1)
const STEPS = 200
const CALLERS = 3

/** Texts of one topic have one vector, at right angles to those of the others. */
const vector = (text: string, dimensions: number) => {
  const topic = Number(/topic (\d+)/.exec(text)?.[1] ?? TOPICS)
  return new Array<number>(dimensions).fill(0).with(topic, 1)
}

const service = withService({ vector })

const seeds = Array.from({ length: sequences }, (_, at) => ({ seed: seedOfRun + at, crashes: at % 10 === 9 }))
if (sequences < 10) seeds.push({ seed: seedOfRun + 9, crashes: true })

test.each(seeds)(
  'three callers find what a plain model holds (seed $seed, crashes: $crashes)',
  {
    timeout: 600_000,
  },
  async each => {
    const sequence = await newSequence(each.seed, each.crashes)
    try {
      await sequence.run()
    } catch (error) {
      throw new Error(`After ${sequence.log.slice(-25).join(', ')}`, { cause: error })
    } finally {
      await sequence.end()
    }
  },
)

async function newSequence(seed: number, crashes: boolean) {
  const random = seededRandom(seed)
  const world = new World()
  const tenant = freshTenant()
  const log: string[] = []
  let child: ChildService | undefined
  const baseUrl = () => child?.baseUrl ?? service.baseUrl
  const keys: { id: string; key: string }[] = []
  const admin = () => createClient({ baseUrl: baseUrl(), apiKey: OPERATOR_KEY, tenant })
  const callers = Array.from({ length: CALLERS }, (_, at) => ({
    world,
    random,
    admin,
    client: () => createClient({ baseUrl: baseUrl(), apiKey: keys[at]?.key }),
    drain: () => service.drain(tenant),
  }))

  async function run() {
    for (const _ of callers) keys.push(await admin().createKey({ scopes: ['read', 'write', 'delete'] }))
    if (crashes) child = await startChild()
    while (log.length < STEPS) {
      const steps = random() < 0.15 ? [wideStep()] : narrowSteps()
      log.push(...steps.map(({ name }) => name))
      await (crashes && random() < 0.08 ? takeWithCrash(steps) : Promise.all(steps.map(step => step.run())))
      // What such a step makes of discovered connections is taken over.
      if (steps.some(({ touches }) => touches === 'all')) await compare(world, admin())
      if (random() < 0.02) await rotate(below(random, CALLERS))
    }
    await service.drain(tenant)
    await compare(world, admin(), 'discovered')
    await eraseAll()
  }

  const anyCaller = () => callers[below(random, CALLERS)] as (typeof callers)[number]
  const wideStep = () => chooseWideStep(anyCaller()) ?? chooseStep(anyCaller())

  /** A call of each caller, as far as they concern different memories. */
  function narrowSteps(): Step[] {
    const touched = new Set<string>()
    return callers.map(chooseStep).filter(({ touches }) => {
      if (touches === 'all' || touches.some(id => touched.has(id))) return false
      for (const id of touches) touched.add(id)
      return true
    })
  }

  async function takeWithCrash(steps: readonly Step[]) {
    log.push('CRASH')
    const struck = child as ChildService
    const calls = Promise.allSettled(steps.map(step => step.run()))
    await new Promise(resolve => setTimeout(resolve, below(random, 40)))
    await struck.kill()
    const outcomes = await calls
    child = await startChild()
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.status === 'fulfilled') continue
      if (!isLost(outcome.reason)) throw outcome.reason
      await steps[at]?.resolve()
    }
  }

  function startChild() {
    const { uri, username, password } = inject('neo4j')
    return startChildService({
      ...endpointSettings(service.embeddings.url),
      SERVICE_ROLE: 'api',
      SERVICE_NEO4J: 'external',
      NEO4J_URI: uri,
      NEO4J_USERNAME: username,
      NEO4J_PASSWORD: password,
    })
  }

  /** Also twice within the overlap: whatever was handed out last must work. */
  async function rotate(at: number) {
    const { id } = keys[at] as { id: string }
    keys[at] = await admin().rotateKey({ id })
  }

  /** Nothing stays that nobody can remove. */
  async function eraseAll() {
    expect(await admin().eraseMemories({ all: true })).toMatchObject({ verified: true, complete: true })
    const left = await service.cypher(
      `MATCH (n:Memory|RemovedMemory|Version|Recall|Job) WHERE n.tenant = $tenant
       RETURN labels(n) AS labels, count(*) AS n`,
      { tenant },
    )
    expect(left).toEqual([])
  }

  return { run, log, end: async () => void (await child?.[Symbol.asyncDispose]()) }
}

/** The connection broke: the call may have been done or not. */
const isLost = (error: unknown) => error instanceof TypeError
