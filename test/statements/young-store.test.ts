import type { Plan } from 'neo4j-driver'
import { afterAll, expect, test } from 'vitest'
import { emptyDatabase, returnDatabase } from '../support/own-database.ts'
import { idOf, remember } from '../support/seed.ts'
import { startService } from '../support/service.ts'
import { listenTo } from '../support/statements.ts'

afterAll(returnDatabase)

/** Neo4j keeps a plan for two minutes at least, in which a store can grow from four memories to thousands. */
test('with a few memories a walk is planned from where it begins, and not by looking up all memories of the tenant', async () => {
  const database = await emptyDatabase()
  await using service = await startService({ database })
  const { client } = service
  const texts = ['the harbour freezes', 'the harbour is frozen', 'a note', 'another note']
  const [one, other] = (await remember(client, texts)).map(idOf) as [string, string]
  const heard = listenTo(service)
  await client.createConnection({ source_id: one, target_id: other, relationship_type: 'contradicts' })
  for (const depth of [1, 3]) await client.relatedMemories({ id: one, depth, direction: 'both' })
  await client.findPath({ source_id: one, target_id: other })
  await client.composeContext({ query: 'Which harbour freezes?' })
  await client.updateMemory({ id: one, content: 'the harbour froze' })
  await service.drain(service.tenant)
  await service.cypher('CALL db.clearQueryCaches()')
  const statements = [...new Map(heard.map(each => [each.text, each])).values()].filter(({ text }) =>
    /\[r?:[A-Z_|]+/.test(text),
  )
  expect(statements.length).toBeGreaterThan(5)
  for (const { text, parameters } of statements) {
    const { driver, database } = service.app.neo4j
    const { summary } = await driver.executeQuery(`EXPLAIN ${text}`, parameters, { database })
    const leaves = leavesOf(summary.plan as Plan).filter(leaf =>
      /^NodeIndexSeek\S* .*:Memory\(tenant\) /.test(leaf),
    )
    expect(leaves, text).toEqual([])
  }
})

const leavesOf = ({ operatorType, arguments: { Details }, children }: Plan): string[] =>
  children.length === 0 ? [`${operatorType} ${Details}`] : children.flatMap(leavesOf)
