import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { browserQueries } from '../../scripts/docs.ts'
import { relationshipTypes } from '../../src/contract/connections.ts'
import { queueAnalysis } from '../../src/store/graph/communities.ts'
import { idOf, remember } from '../support/seed.ts'
import { withService } from '../support/service.ts'

const read = (name: string) => readFileSync(new URL(`../../ops/neo4j/${name}`, import.meta.url), 'utf8')
const dashboard = JSON.parse(read('neodash.json')) as {
  version: string
  pages: { title: string; reports: { title: string; query: string; type: string; selection: object }[] }[]
}
const perspective = JSON.parse(read('bloom-perspective.json')) as {
  categories: { labels: string[] }[]
  relationshipTypes: { name: string }[]
  templates: { name: string; cypher: string; params: { name: string }[] }[]
}

const service = withService()
let community: string
beforeAll(async () => {
  const made = await remember(
    service.client,
    ['The oven is hot', 'The oven is cold', 'Nobody turned it on', 'Unheard of', 'Over soon'].map(
      content => ({
        content,
        tags: ['oven'],
        ttl_seconds: 3_600,
      }),
    ),
  )
  const [one, two, three, archived] = made.map(idOf) as [string, string, string, string]
  await service.client.createConnections({
    connections: [
      { source_id: one, target_id: two, relationship_type: 'contradicts' },
      { source_id: one, target_id: three, relationship_type: 'caused_by' },
    ],
  })
  await service.client.getMemory({ id: one })
  await service.client.deleteMemory({ id: archived })
  await queueAnalysis({ app: service.app, signal: AbortSignal.timeout(60_000) }, service.tenant)
  await service.drain()
  community = (await service.client.listCommunities({})).communities[0]?.id as string
  await service.cypher('MATCH (m:Memory {tenant: $tenant, id: $two}) SET m.health = 10.0', { two })
})

const reports = dashboard.pages.flatMap(page => page.reports)

test.each(reports)('the dashboard shows: $title', async ({ query, selection }) => {
  const rows = await service.cypher<Record<string, unknown>>(query, {
    neodash_memory_tenant: service.tenant,
    input: service.tenant,
  })
  expect(rows).not.toEqual([])
  const { index, value } = selection as { index?: string; value?: string }
  for (const name of [index, value]) if (name) expect(rows[0]).toHaveProperty(name)
})

test('the dashboard is of the version that Aura imports, and each query names the tenant', () => {
  expect(dashboard.version).toBe('2.4')
  expect(new Set(reports.map(({ title }) => title)).size).toBe(reports.length)
  for (const { query } of reports) expect(query).toMatch(/\$neodash_memory_tenant|\$input/)
})

test.each(perspective.templates)('the perspective of Bloom searches: $name', async ({ cypher, params }) => {
  const given: Record<string, string> = { tenant: service.tenant, community }
  const parameters = Object.fromEntries(params.map(({ name }) => [name, given[name]]))
  expect(await service.cypher(cypher, parameters)).not.toEqual([])
})

test('the perspective of Bloom knows memories and all types of connections', () => {
  expect(perspective.categories.flatMap(({ labels }) => labels)).toEqual(['Memory'])
  expect(perspective.relationshipTypes.map(({ name }) => name)).toEqual(
    relationshipTypes.map(type => type.toUpperCase()),
  )
})

test('the saved queries for Neo4j Browser are those of the page on the graph', () => {
  const files = browserQueries()
  expect(files.length).toBeGreaterThanOrEqual(20)
  const folder = new URL('../../ops/neo4j/browser/', import.meta.url)
  expect(readdirSync(folder).toSorted()).toEqual(files.map(({ file }) => file.split('/').at(-1)).toSorted())
  for (const { file, text } of files) expect(read(file.replace('ops/neo4j/', ''))).toBe(text)
})
