import { expect, test } from 'vitest'
import { expectProblem } from '../support/expect-problem.ts'
import { graphql } from '../support/graphql.ts'
import { someMemory, withService } from '../support/service.ts'

const service = withService()

const UNKNOWN = '01900000-0000-7000-8000-000000000000'

const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.request(path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

const memory = someMemory()
const { policy: _, ...withoutPolicy } = memory

test.each<[string, Parameters<typeof send>, string]>([
  [
    'a missing policy',
    ['POST', '/memories', withoutPolicy],
    '`policy` is required. Use one of: short_term, long_term, pinned.',
  ],
  [
    'a misspelt field',
    ['POST', '/memories', { ...memory, importanse: 0.5 }],
    '`importanse` is not a field of this request. Did you mean `importance`?',
  ],
  [
    'a misspelt field of a batch',
    ['POST', '/memories/batch', { memories: [memory, { ...memory, ttl_second: 0 }] }],
    '`memories[1].ttl_second` is not a field of this request. Did you mean `memories[1].ttl_seconds`?',
  ],
  [
    'a misspelt parameter',
    ['GET', '/memories?ordr_by=created_at'],
    '`ordr_by` is not a field of this request. Did you mean `order_by`?',
  ],
  [
    'a field that resembles none',
    ['GET', '/memories?colour=red'],
    '`colour` is not a field of this request. Check the spelling.',
  ],
  [
    'filters in an object, where they are fields',
    ['POST', '/memories/search', { query: 'x', search_type: 'hybrid', filters: { tags: ['a'] } }],
    '`filters` is not a field of this request. Send the filters as fields of the request itself.',
  ],
  [
    'a filter as a field, where they are in an object',
    ['POST', '/erasures', { source: 'wiki' }],
    '`source` is not a field of this request. Send it in `filters`.',
  ],
  [
    'metadata that is not flat',
    ['POST', '/memories', { ...memory, metadata: { a: { b: 1 } } }],
    '`metadata.a` must be a text, a number, true or false: metadata is flat.',
  ],
  [
    'a key of metadata with a space',
    ['POST', '/memories', { ...memory, metadata: { 'user id': 'a' } }],
    '`metadata.user id` is a name that must be 1 to 64 characters of A-Z, a-z, 0-9, _, . and -.',
  ],
  [
    'a text of metadata that is too long',
    ['POST', '/memories', { ...memory, metadata: { a: 'a'.repeat(501) } }],
    '`metadata.a` must be at most 500 characters.',
  ],
  [
    'an unknown policy',
    ['POST', '/memories/batch', { memories: [{ ...memory, policy: 'eternal' }] }],
    '`memories[0].policy` must be one of: short_term, long_term, pinned.',
  ],
  [
    'a parameter in the query of a request with a body',
    ['POST', '/memories?limit=1', memory],
    '`limit` must be in the body, not in the query.',
  ],
  [
    'a field in the body of a request without one',
    ['DELETE', `/memories/${UNKNOWN}`, { hard: true }],
    '`hard` must be in the query, not in the body.',
  ],
  [
    'a field that is in the path',
    ['PATCH', `/memories/${UNKNOWN}`, { id: UNKNOWN, importance: 1 }],
    '`id` is in the path already. Omit it here.',
  ],
  [
    'a change of nothing',
    ['PATCH', `/memories/${UNKNOWN}`, {}],
    'The request must change at least one field.',
  ],
  [
    'null for a field that can be cleared',
    ['PATCH', `/memories/${UNKNOWN}`, { source: null }],
    '`source` must not be null. To clear it, name it in `clear`.',
  ],
  [
    'an idempotency key with a space',
    ['POST', '/memories', memory, { 'idempotency-key': 'a b' }],
    '`Idempotency-Key` must be 1 to 255 visible ASCII characters.',
  ],
  [
    'a tenant in capitals',
    ['GET', '/stats', undefined, { 'x-tenant-id': 'Team' }],
    '`X-Tenant-Id` must be 1 to 64 characters of a-z, 0-9, _ and -, or private memories such as platform-team~anna.',
  ],
])('the message for %s names the field and what is expected', async (_name, request, message) => {
  const { detail, errors } = await expectProblem(await send(...request), 'validation_failed')
  expect([detail, errors?.map(each => each.message)]).toEqual([message, [message]])
})

test('the message for an unknown or missing policy lists those of the tenant', async () => {
  await service.client.putPolicy({ name: 'journal', health_decay: 1, recall_boost: 1, importance_decay: 1 })
  const response = await send('POST', '/memories', { ...memory, policy: 'jurnal' })
  expect((await expectProblem(response, 'validation_failed')).detail).toBe(
    '`policy` must be one of: short_term, long_term, pinned, journal.',
  )
  expect(
    (await expectProblem(await send('POST', '/memories', withoutPolicy), 'validation_failed')).detail,
  ).toBe('`policy` is required. Use one of: short_term, long_term, pinned, journal.')
})

test('GraphQL refuses null for a field that can be cleared, and takes it for one that is created without it', async () => {
  const { id } = await service.client.createMemory(someMemory({ session_id: 'kept' }))
  const update =
    'mutation($id: ID!, $session: String) { updateMemory(id: $id, tags: ["z"], sessionId: $session) { memory { sessionId } } }'
  const { errors } = await graphql(service, update, { variables: { id, session: null } })
  expect(errors[0]).toMatchObject({
    message: '`sessionId` must not be null. To clear it, name it in `clear`.',
    extensions: { code: 'VALIDATION_FAILED' },
  })
  expect((await service.client.getMemory({ id })).session_id).toBe('kept')
  const create = `mutation($session: String) { createMemory(content: "x", policy: "long_term", ttlSeconds: 0, sessionId: $session) {
    memory { sessionId } } }`
  expect((await graphql(service, create, { variables: { session: null } })).data).toEqual({
    createMemory: { memory: { sessionId: null } },
  })
})

test('a message of GraphQL names fields as GraphQL does', async () => {
  const until = '2001-01-01T00:00:00Z'
  const query = `mutation { createKey(name: "old", scopes: [READ], expiresAt: "${until}") { id } }`
  const { errors } = await graphql(service, query)
  expect(errors[0]).toMatchObject({
    message: '`expiresAt` must be in the future.',
    extensions: { errors: [{ pointer: '/expiresAt', message: '`expiresAt` must be in the future.' }] },
  })
})
