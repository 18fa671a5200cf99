import neo4j from 'neo4j-driver'
import { expect, inject, test } from 'vitest'

test('the tests have a Neo4j that answers', async () => {
  const { uri, username, password, database } = inject('neo4j')
  await using driver = neo4j.driver(uri, neo4j.auth.basic(username, password))
  const { records } = await driver.executeQuery('CYPHER 25 RETURN 1 AS one', {}, { database })
  expect(records[0]?.get('one').toNumber()).toBe(1)
})
