import { chaosClient, startLoad } from './clients.ts'
import { drained, moreAcked, type Scenario, startRunService, until } from './run.ts'

/** Neo4j is killed under load and started again on the same data; the service stays up and goes on on its own. */
export const neo4j: Scenario = {
  expected: ['kills of Neo4j'],
  async run(run) {
    const { times, random, history, tenant, database } = run
    const kills = times(1, 20)
    const tenants = [tenant('a'), tenant('b')]
    await using child = await startRunService(run)
    const clients = Array.from({ length: 6 }, (_, at) =>
      chaosClient({ history, tenant: tenants[at % 2] as string, random, baseUrl: () => child.baseUrl }),
    )
    const finish = startLoad(clients, random, 60)
    const ready = async () => (await fetch(`${child.url}/ready`)).status === 200
    try {
      for (let kill = 0; kill < kills && !run.isOver(); kill++) {
        await moreAcked(run, 15 + Math.floor(random() * 30))
        await database.kill()
        history.note({ at: 'fault', fault: 'Neo4j killed' })
        run.count('kills of Neo4j')
        const down = performance.now()
        await database.start()
        const up = performance.now()
        run.took('from its start until Neo4j answers again', up - down)
        await until('the service is ready', ready, 60_000)
        run.took('from then until the service is ready', performance.now() - up)
      }
    } finally {
      await finish()
    }
    await drained(run, tenants)
  },
}
