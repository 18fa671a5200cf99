import { expect, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { graphql } from '../support/graphql.ts'
import { connectHttp, type McpClient } from '../support/mcp.ts'
import { idOf, remember } from '../support/seed.ts'
import { freshTenant, OPERATOR_KEY, withService } from '../support/service.ts'
import { within } from './attacks-within.ts'

const service = withService()
const victim = freshTenant()
let mcp: McpClient

/** What nobody may see: texts of others and of what was removed, secrets, hashes, names of what the service keeps for itself. */
const HIDDEN =
  /canary|whsec_|"(embedding_\w+|embeddingTruncated_\w+|words|textDigest|liveUntil|revision|writeId|scope|tagKeys|hash|secret|removedBy|policyKey)"|ApiKey|Webhook|Setting|RemovedMemory|AuditEntry|_digest/

async function fill(tenant: string, mark: string): Promise<string[]> {
  const client = createClient({ baseUrl: service.baseUrl, apiKey: OPERATOR_KEY, tenant })
  const memories = await remember(client, [
    { content: `${mark} one`, tags: ['a'] },
    { content: `${mark} two` },
  ])
  const [one, two] = memories.map(idOf) as [string, string]
  await client.createConnection({ source_id: one, target_id: two, relationship_type: 'part_of' })
  await client.getMemory({ id: one })
  return [one, two]
}

test('what is there: others with memories, keys and webhooks, private memories, and removed ones', async () => {
  const [one] = await fill(service.tenant, 'mine')
  await fill(victim, 'a canary of another tenant')
  const other = createClient({ baseUrl: service.baseUrl, apiKey: OPERATOR_KEY, tenant: victim })
  await other.createKey({ scopes: ['read'] })
  await other.createWebhook({ url: 'https://example.com/hook', kinds: ['created'] })
  const { key } = await service.client.createKey({ scopes: ['delete'], owner: 'anna' })
  const anna = service.clientOf('', key)
  await remember(anna, ['a canary that is private'])
  const [gone] = await remember(service.client, [{ content: 'a canary that is removed', source: 'gone' }])
  await service.client.createConnection({
    source_id: one as string,
    target_id: gone?.id as string,
    relationship_type: 'part_of',
  })
  await service.client.getMemory({ id: gone?.id as string })
  await service.cypher(
    `MATCH (m:Memory {tenant: $tenant, id: $id})-[r]-() REMOVE m:Memory SET m:RemovedMemory, m.removedBy = 'run', r.removedKey = r.key REMOVE r.key, r.tenant`,
    { id: gone?.id },
  )
  mcp = await connectHttp('2.x, initialize', service)
})

test.each(within.map(query => [query]))('%s', async query => {
  const parameters = { victim }
  const answers: unknown[] = []
  for (const explain of [false, true])
    answers.push(
      await service.client.runCypher({ query, parameters, explain }).catch(error => {
        expect(error.problem?.status, error).toBe(422)
        return error.problem
      }),
    )
  answers.push(
    await graphql(
      service,
      'query($query: String!, $parameters: JSON) { runCypher(query: $query, parameters: $parameters) { columns rows } }',
      { variables: { query, parameters } },
    ),
  )
  if (!query.includes('$')) answers.push(await mcp.callTool({ name: 'run_cypher', arguments: { query } }))
  const texts = answers.map(answer => JSON.stringify(answer).replaceAll(query.replaceAll('"', '\\"'), ''))
  for (const text of texts) expect(text).not.toMatch(HIDDEN)
})

test('the memories and recalls that a query counts are those that the tenant can get', async () => {
  const { rows } = await service.client.runCypher({
    query:
      'MATCH (m) WITH count(m) AS m MATCH (r:Recall) WITH m, count(r) AS r MATCH ()-[c]->() RETURN m, r, count(c) AS c',
  })
  expect(rows).toEqual([{ m: 2, r: 1, c: 1 }])
  await mcp.close()
})
