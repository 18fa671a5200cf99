import { createHash } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { startChildService } from '../support/child-service.ts'
import { holdLocks } from '../support/memory-locks.ts'
import { rememberIds } from '../support/seed.ts'
import { endpointSettings, freshTenant, OPERATOR_KEY, withService } from '../support/service.ts'

const service = withService()

test('an erasure whose process is killed is completed by the next one, and its receipt is of all that was removed', async () => {
  const tenant = freshTenant()
  const { uri, username, password } = inject('neo4j')
  const settings = {
    ...endpointSettings(service.embeddings.url),
    ...{ NEO4J_URI: uri, NEO4J_USERNAME: username, NEO4J_PASSWORD: password },
    ...{ SERVICE_NEO4J: 'external', SERVICE_REQUEST_TIMEOUT_MS: '20000' },
  }
  const client = service.clientOf(tenant)
  const texts = Array.from({ length: 1_200 }, (_, at) => `memory ${at}`)
  const ids = (await rememberIds(client, texts)).toSorted()
  await using killed = await startChildService({ ...settings, SERVICE_ROLE: 'api' })
  {
    // The first step is done, and the second waits.
    await using _held = await holdLocks(tenant, [ids[700] as string])
    const { baseUrl } = killed
    const erasure = createClient({ baseUrl, apiKey: OPERATOR_KEY, tenant }).eraseMemories({
      filters: { policy: 'short_term' },
    })
    erasure.catch(() => {})
    await expect
      .poll(receipts, { timeout: 60_000, interval: 100 })
      .toMatchObject([{ counts: { memories: 500 } }])
    await killed.kill()
    await expect(erasure).rejects.toThrow()
  }
  const id = (await receipts())[0]?.id as string
  expect(await client.getErasure({ id })).toMatchObject({ state: 'running', complete: false, digest: null })
  // As if the time had passed after which another process takes the job.
  await service.cypher(
    "MATCH (j:Job {tenant: $of, kind: 'erase'}) SET j.state = 'queued', j.runAt = datetime.realtime('Z')",
    { of: tenant },
  )
  await service.drain(tenant)
  expect(await client.getErasure({ id })).toMatchObject({
    ...{ state: 'complete', complete: true, verified: true, counts: { memories: 1_200 } },
    digest: createHash('sha256').update(ids.join('\n')).digest('hex'),
  })
  expect((await client.listMemories({ include_archived: true })).memories).toEqual([])

  async function receipts() {
    const rows = await service.cypher<{ id: string; counts: string }>(
      'MATCH (e:Erasure {tenant: $of}) RETURN e.id AS id, e.counts AS counts',
      { of: tenant },
    )
    return rows.map(({ id, counts }) => ({ id, counts: JSON.parse(counts) }))
  }
})
