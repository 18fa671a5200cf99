import { describe, expect, test } from 'vitest'
import { mnemograph } from '../support/cli.ts'
import type { TestDatabase } from '../support/lender.ts'
import { emptyDatabase } from '../support/own-database.ts'
import { rememberIds } from '../support/seed.ts'
import { endpointSettings, withService } from '../support/service.ts'

describe('The check of the graph', () => {
  let database: TestDatabase
  const service = withService(async () => {
    database = await emptyDatabase()
    return { database }
  })

  type Finding = { check: string; status: string; message: string; remedy?: string }

  async function doctor(...words: string[]) {
    const { code, out } = await mnemograph(['doctor', '--json', '--url', service.url, ...words], {
      env: {
        NEO4J_URI: database.uri,
        NEO4J_USERNAME: database.username,
        NEO4J_PASSWORD: database.password,
        ...endpointSettings(service.embeddings.url),
      },
    })
    const { findings } = JSON.parse(out) as { findings: Finding[] }
    return { code, found: findings.filter(({ check }) => check === 'graph') }
  }

  async function fill(tenant: string): Promise<string[]> {
    const client = service.clientOf(tenant)
    const ids = await rememberIds(client, ['one', 'two', 'three', 'four', 'five', 'six', 'seven'])
    await client.createConnection({ source_id: ids[0] as string, target_id: ids[1] as string })
    await client.createConnection({
      ...{ source_id: ids[1] as string, target_id: ids[2] as string },
      relationship_type: 'supports',
    })
    await client.updateMemory({ id: ids[0] as string, importance: 0.9 })
    await client.getMemory({ id: ids[0] as string })
    await client.deleteMemory({ id: ids[6] as string })
    await service.drain(tenant)
    // A feed is numbered when it is read.
    await client.listChanges({})
    return ids
  }

  test('finds what was planted and nothing else, and repairs it', { timeout: 240_000 }, async () => {
    const [mine, theirs] = [await fill('mine'), await fill('theirs')]
    expect((await doctor('--graph')).found).toMatchObject([{ status: 'ok' }])
    const plant = (text: string) => service.cypher(text, { ids: mine, other: theirs[0] })
    const memory = (name: string, at: number) => `(${name}:Memory {tenant: 'mine', id: $ids[${at}]})`
    const faults = {
      'join memories of two tenants': `MATCH ${memory('a', 0)}, (b:Memory {tenant: 'theirs', id: $other})
        CREATE (a)-[:SUPPORTS {tenant: 'mine', key: 'of nobody'}]->(b)`,
      'lead from a memory to itself': `MATCH ${memory('a', 1)} CREATE (a)-[:SUPPORTS {tenant: 'mine', key: 'a loop'}]->(a)`,
      'discovered connections in both directions': `MATCH ${memory('a', 3)}, ${memory('b', 4)}
        CREATE (a)-[:RELATED_TO {tenant: 'mine', origin: 'discovered', key: 'mine:' + a.id + ':' + b.id}]->(b),
          (b)-[:RELATED_TO {tenant: 'mine', origin: 'discovered', key: 'mine:' + b.id + ':' + a.id}]->(a)`,
      'wait for a discovery': `MATCH ${memory('a', 2)} SET a.revision = a.revision + 1`,
      'no vector of the active space': `MATCH (:Setting {name: 'activeSpace'})
        MATCH (s:EmbeddingSpace) MATCH ${memory('a', 3)} CALL (a, s) { REMOVE a[s.property] }`,
      'found by searches for another time': `MATCH ${memory('a', 6)} SET a.liveUntil = 9999999999999`,
      'importance outside 0 to 1': `MATCH ${memory('a', 4)} SET a.importance = 7.0`,
      'jobs are about memories that do not exist': `CREATE (:Job {id: 'discover:mine:gone:1', kind: 'discover', tenant: 'mine',
        memoryId: 'gone', state: 'queued', revision: 1, attempt: 0, createdAt: datetime.realtime('Z'),
        runAt: datetime.realtime('Z')})`,
      'recalls are of memories': `CREATE (:Recall {id: 'gone', tenant: 'mine', memoryId: 'gone', at: datetime.realtime('Z')})`,
      'versions are of memories': `CREATE (:Version {tenant: 'mine', memoryId: 'gone', version: 1})`,
      'deliveries are for webhooks': `CREATE (:Delivery {id: 'gone', tenant: 'mine', webhook: 'gone', number: 1})`,
      'locked outside a transaction': `MATCH ${memory('a', 5)} SET a.lock = true`,
      'not counted as they are': `MATCH ${memory('a', 4)} SET a.counted = [1, 0, 9]`,
      'other sums of their memories': `MATCH (f:Feed {tenant: 'mine'}) SET f.memories = f.memories + 1`,
      'numbers behind the end of their feed': `CREATE (:Change {tenant: 'mine', number: 1000000, kind: 'created'})`,
    }
    for (const text of Object.values(faults)) await plant(text)

    const { code, found } = await doctor('--graph')
    expect(code).toBe(1)
    for (const fault of Object.keys(faults)) {
      const those = found.filter(({ message }) => message.includes(fault))
      expect(
        those.map(({ message }) => message),
        fault,
      ).toEqual([expect.stringMatching(/^1 .* mine /)])
    }
    expect(found).toHaveLength(Object.keys(faults).length)

    await doctor('--graph', '--repair')
    await service.drain('mine')
    expect((await doctor('--graph')).found.map(({ message, remedy }) => [message, remedy])).toEqual([
      [expect.stringContaining('numbers behind the end'), expect.stringContaining('No repair: restore')],
    ])
    expect((await service.clientOf('mine').getMemory({ id: mine[4] as string })).importance).toBe(1)
  })
})
