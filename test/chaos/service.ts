import { setTimeout as pause } from 'node:timers/promises'
import { startBoltProxy } from '../support/bolt-proxy.ts'
import type { ChildService } from '../support/child-service.ts'
import { chaosClient, startLoad } from './clients.ts'
import { type Point, points } from './points.ts'
import { drained, moreAcked, type Run, type Scenario, startRunService } from './run.ts'

const POINT_MS = 180_000

/** The service is killed under load, at named points in turn and at random moments, and started again each time. */
export const service: Scenario = {
  expected: ['killed at a random moment', 'jobs that a killed service held'],
  async run(run) {
    const { times, random, history, tenant } = run
    const kills = times(2, 100)
    const tenants = [tenant('a'), tenant('b')]
    await using stack = new AsyncDisposableStack()
    const proxy = stack.use(await startBoltProxy(run.database.uri))
    let child: ChildService | undefined
    stack.defer(() => child?.[Symbol.asyncDispose]())
    const start = async (point?: Point) => {
      // With no wait for the vector of a write, all vectors are made by the queue.
      const waitMs = point?.name.startsWith('vector') || random() < 0.5 ? '0' : '2000'
      child = await startRunService(run, {
        NEO4J_URI: proxy.uri,
        SERVICE_EMBEDDING_WRITE_WAIT_MS: waitMs,
      })
    }
    const clients = Array.from({ length: 6 }, (_, at) =>
      chaosClient({ history, tenant: tenants[at % 2] as string, random, baseUrl: () => child?.baseUrl }),
    )
    const finish = startLoad(clients, random, 40)
    const driver = chaosClient({
      history,
      tenant: tenants[0] as string,
      random,
      baseUrl: () => child?.baseUrl,
    })
    let driven: Promise<void> | undefined
    try {
      for (let kill = 0; kill < kills && !run.isOver(); kill++) {
        const point = planned(kill, kills, random)
        await start(point)
        await moreAcked(run, 2 + Math.floor(random() * 8))
        const struck = child as unknown as ChildService
        await driven
        const there = new AbortController()
        if (point) {
          driven = driver.repeat(point.deed, there.signal)
          // One that never comes stays at zero, which fails the run.
          run.count(`killed at ${point.name}`, 0)
        }
        const name = await strike(proxy, struck, point, random)
        there.abort()
        child = undefined
        if ((await struck.ended) !== 'SIGKILL') throw new Error(`It ended on its own:\n${struck.said()}`)
        history.note({ at: 'fault', fault: name })
        run.count('kills of the service')
        run.count(`killed at ${name}`)
        run.count('jobs that a killed service held', await held(run, tenants))
      }
      await start()
    } finally {
      if (!child) await start().catch(() => {})
      await driven
      await finish()
    }
    run.say('waiting for the queue')
    await drained(run, tenants)
  },
}

/** Two of three are at named points, each as often as the others, and one of two; the rest at random moments. */
function planned(kill: number, kills: number, random: () => number): Point | undefined {
  if (kill % 3 === 2 || (kills === 2 && kill === 1)) return undefined
  const named = Math.ceil((kills * 2) / 3)
  const offset = named >= points.length ? 0 : Math.floor(random() * points.length)
  return points[(offset + Math.floor((kill * 2 + 2) / 3)) % points.length]
}

/** Kills at the point, or after a while at wherever it is then. Answers where it was. */
async function strike(
  proxy: Awaited<ReturnType<typeof startBoltProxy>>,
  { pid }: ChildService,
  point: Point | undefined,
  random: () => number,
): Promise<string> {
  const kill = () => process.kill(pid, 'SIGKILL')
  if (point) {
    const { promise, resolve } = Promise.withResolvers<string>()
    const then = () => {
      kill()
      resolve(point.name)
    }
    proxy.set({ kind: 'strike', at: point.at, when: point.when, then })
    const name = await Promise.race([promise, pause(POINT_MS, undefined, { ref: false })])
    proxy.set({ kind: 'pass' })
    if (name) return name
  } else await pause(random() * 800)
  kill()
  return point ? `a point that did not come (${point.name})` : 'a random moment'
}

async function held({ database }: Run, tenants: readonly string[]): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `MATCH (j:Job) WHERE j.tenant IN $tenants AND j.state = 'running' RETURN count(j) AS n`,
    { tenants },
  )
  return row?.n ?? 0
}
