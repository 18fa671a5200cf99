import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { expectProblem } from '../support/expect-problem.ts'
import { OPERATOR_KEY, withService } from '../support/service.ts'

const service = withService()
let key: string
beforeAll(async () => {
  key = (await service.client.createKey({ scopes: ['read'] })).key
})

const ask = (headers: Record<string, string>, query = '') =>
  fetch(`${service.baseUrl}/stats${query}`, { headers })

test.each([
  ['a bearer credential', (k: string) => ({ authorization: `Bearer ${k}` })],
  ['the scheme in lower case', (k: string) => ({ authorization: `bearer ${k}` })],
  ['the scheme in upper case', (k: string) => ({ authorization: `BEARER  ${k}` })],
  ['X-API-Key', (k: string) => ({ 'x-api-key': k })],
  ['both headers with one key', (k: string) => ({ authorization: `Bearer ${k}`, 'x-api-key': k })],
  ['X-API-Key behind a proxy of its own', (k: string) => ({ authorization: 'Basic eA==', 'x-api-key': k })],
])('%s lets the operator and a tenant in', async (_, headersOf) => {
  expect((await ask(headersOf(OPERATOR_KEY))).status).toBe(200)
  expect((await ask(headersOf(key))).status).toBe(200)
})

const wrong: [string, (k: string) => Record<string, string>][] = [
  ['nothing', () => ({})],
  ['an empty bearer', () => ({ authorization: 'Bearer ' })],
  ['an empty X-API-Key', () => ({ 'x-api-key': '' })],
  ['another key', () => ({ authorization: 'Bearer another' })],
  ['a key cut short', k => ({ authorization: `Bearer ${k.slice(0, -1)}` })],
  ['a key with more behind it', k => ({ authorization: `Bearer ${k}x` })],
  ['a key in another case', k => ({ authorization: `Bearer ${k.toUpperCase()}` })],
  ['a key without the scheme', k => ({ authorization: k })],
  ['another scheme', k => ({ authorization: `Basic ${btoa(`key:${k}`)}` })],
  ['a key with a comma behind it', k => ({ authorization: `Bearer ${k}, Bearer ${k}` })],
  ['two different keys', k => ({ authorization: `Bearer ${k}`, 'x-api-key': 'another' })],
  ['a wrong bearer next to a right X-API-Key', k => ({ authorization: 'Bearer another', 'x-api-key': k })],
  ['an empty bearer next to a right X-API-Key', k => ({ authorization: 'Bearer ', 'x-api-key': k })],
  ['the hash of a key', k => ({ authorization: `Bearer ${createHash('sha256').update(k).digest('hex')}` })],
  ['a key in a cookie', k => ({ cookie: `key=${k}; authorization=Bearer ${k}` })],
]

test.each(wrong)('%s lets nobody in', async (_, headersOf) => {
  for (const each of [OPERATOR_KEY, key]) {
    const response = await ask(headersOf(each))
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect((await expectProblem(response, 'unauthorized')).detail).not.toContain(each)
  }
})

test.each(['key', 'api_key', 'apikey', 'access_token', 'token'])(
  'a key in the query as %s is no key',
  async name => {
    await expectProblem(await ask({}, `?${name}=${OPERATOR_KEY}`), 'unauthorized')
  },
)

test('two keys of a tenant in both headers are refused though each is valid', async () => {
  const other = (await service.client.createKey({ scopes: ['read'] })).key
  await expectProblem(await ask({ authorization: `Bearer ${key}`, 'x-api-key': other }), 'unauthorized')
})

test('a key that never existed gets the same response as a wrong one, byte for byte', async () => {
  const unknown = key.replace(/^mnk_.{12}/, 'mnk_000000000000')
  const details = await Promise.all(
    [unknown, `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`].map(async each => {
      const response = await ask({ authorization: `Bearer ${each}` })
      return (await expectProblem(response, 'unauthorized')).detail
    }),
  )
  expect(details[0]).toBe(details[1])
})
