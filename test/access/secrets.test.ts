import { expect, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { mnemographProcess } from '../support/cli.ts'
import { keepOutput, leaksIn } from '../support/output.ts'
import { OPERATOR_KEY, someMemory, withService } from '../support/service.ts'

const CANARY = 'canary-0f1e2d3c'
const service = withService({ settings: { OPENAI_API_KEY: `${CANARY}-embedding` } })

/** What a failing call says, as it is printed with its stack and its cause. */
async function saidBy(call: () => unknown): Promise<string> {
  const error = await Promise.resolve()
    .then(call)
    .catch((thrown: unknown) => thrown)
  const texts: string[] = []
  for (let each = error; each instanceof Error; each = each.cause)
    texts.push(`${each.message}\n${each.stack}`)
  const said = texts.join('\n')
  keepOutput(said)
  return said
}

test.each([`${OPERATOR_KEY}\n`, ` ${OPERATOR_KEY}\r\n`])(
  'a key that was read from a file with a line break works',
  async apiKey => {
    const client = createClient({ baseUrl: service.baseUrl, apiKey, tenant: service.tenant })
    await client.listMemories()
    const { code, err } = await mnemographProcess(['list', '--json'], {
      service,
      env: { SERVICE_MCP_API_KEY: apiKey },
    })
    expect(code, err).toBe(0)
  },
)

test.each([`${CANARY}\nmore`, `${CANARY} more`, `${CANARY}é`])(
  'a key that no header can carry is refused without it',
  async apiKey => {
    const said = await saidBy(() => createClient({ baseUrl: service.baseUrl, apiKey }).listMemories())
    expect(said).toContain('a header cannot carry')
    expect(said).not.toContain(CANARY)
    for (const words of [
      ['list', '--api-key', apiKey],
      ['mcp', '--url', `${service.url}/mcp`, '--api-key', apiKey],
    ]) {
      const { code, err, out } = await mnemographProcess(words, words[0] === 'list' ? { service } : {})
      expect(code).not.toBe(0)
      expect(err + out).not.toContain(CANARY)
    }
  },
)

test('wrong keys, tokens and passwords in addresses are in no answer, message or log', async () => {
  const attempts: Record<string, string>[] = [
    { authorization: `Bearer ${CANARY}-bearer` },
    { 'x-api-key': `${CANARY}-header` },
    { authorization: `Basic ${Buffer.from(`u:${CANARY}`).toString('base64')}` },
    { authorization: `Bearer mnk_${'0'.repeat(32)}_${CANARY}` },
    { authorization: `Bearer eyJhbGciOiJSUzI1NiJ9.${Buffer.from(CANARY).toString('base64url')}.AAAA` },
  ]
  for (const headers of attempts)
    for (const path of ['/api/v1/memories', '/mcp', '/graphql', '/metrics', '/nowhere']) {
      const response = await fetch(service.url + path, { headers })
      keepOutput(await response.text())
    }
  const address = `http://ada:${CANARY}@127.0.0.1:1/mcp`
  const bridged = await mnemographProcess(['mcp', '--url', address], {
    input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`,
  })
  expect(bridged.err + bridged.out).not.toContain(CANARY)
})

test('the key of the embedding provider is in no answer and no log, whatever the provider answers', async () => {
  for (const status of [401, 403, 500]) {
    service.embeddings.fail({ status })
    const { id } = await service.client.createMemory(someMemory({ content: `without a vector ${status}` }))
    expect(id).toBeTruthy()
    await service.drain()
    keepOutput(await (await fetch(`${service.url}/ready`)).text())
  }
})

test('the search at the end of a run finds each kind of secret', () => {
  const key = 'mnk_0123456789abcdef0123456789abcdef_ABCDEFGHIJKLMNOPQRSTUVWXYZ'
  const lines = [
    `{"error":"Illegal header value Bearer ${OPERATOR_KEY}"}`,
    `refused ${key}`,
    'secret whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    `at http://neo4j:of-the-tests@127.0.0.1:7687`,
    `{"authorization":"Bearer abcdefghijklmnop"}`,
    'the password of the database',
  ]
  for (const line of lines.slice(0, -1)) expect(leaksIn(`first\n${line}\nlast`), line).toHaveLength(1)
  expect(leaksIn(lines.join('\n'), ['password of the database'])).toHaveLength(lines.length)
  expect(leaksIn('WWW-Authenticate: Bearer realm="mnemograph"\nmnk_ keys are hashed')).toEqual([])
})
