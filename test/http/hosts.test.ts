import { expect, test } from 'vitest'
import { rawRequest } from '../support/raw-request.ts'
import { OPERATOR_KEY, withService } from '../support/service.ts'

const service = withService()

test.each(['/health', '/ready', '/api/v1/stats', '/graphql', '/mcp', '/openapi.json', '/docs', '/console'])(
  'on a loopback address %s is refused by another host name, whatever key it brings',
  async path => {
    const headers = { host: 'evil.example', authorization: `Bearer ${OPERATOR_KEY}` }
    const { status, text } = await rawRequest(service.url + path, { headers })
    expect([status, JSON.parse(text).code]).toEqual([403, 'foreign_caller'])
  },
)
