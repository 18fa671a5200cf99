import { expect, test } from 'vitest'
import { rawRequest } from '../support/raw-request.ts'
import { OPERATOR_KEY, startService, withService } from '../support/service.ts'

const service = withService()

test.each(['/health', '/ready', '/api/v1/stats', '/graphql', '/mcp', '/openapi.json', '/docs', '/console'])(
  'on a loopback address %s is refused by another host name, whatever key it brings',
  async path => {
    const headers = { host: 'evil.example', authorization: `Bearer ${OPERATOR_KEY}` }
    const { status, text } = await rawRequest(service.url + path, { headers })
    expect([status, JSON.parse(text).code]).toEqual([403, 'foreign_caller'])
  },
)

test('on another address with allowed hosts, probes and metrics are answered under every name, and nothing else', async () => {
  await using own = await startService({
    settings: { SERVICE_HOST: '0.0.0.0', SERVICE_ALLOWED_HOSTS: 'memory.example' },
  })
  const url = own.url.replace('0.0.0.0', '127.0.0.1')
  const ask = async (path: string, host: string) => {
    const headers = { host, authorization: `Bearer ${OPERATOR_KEY}` }
    return (await rawRequest(url + path, { headers })).status
  }
  for (const path of ['/health', '/ready', '/metrics', '/api/v1/ready'])
    expect(await ask(path, '10.1.2.3:4545')).toBe(200)
  for (const path of ['/api/v1/stats', '/graphql', '/docs'])
    expect(await ask(path, '10.1.2.3:4545')).toBe(403)
  expect(await ask('/api/v1/stats', 'memory.example')).toBe(200)
})
