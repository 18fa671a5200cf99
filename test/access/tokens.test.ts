import { createHmac } from 'node:crypto'
import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { exportSPKI, type JWTPayload } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import {
  CLIENT,
  makeSigningKey,
  type SigningKey,
  signToken,
  startTokenIssuer,
} from '../../tools/token-issuer.ts'
import { fixture } from '../support/fixture.ts'
import { freshTenant, problemOf, someMemory, startService } from '../support/service.ts'

const tenant = freshTenant()
const AUDIENCE = 'http://127.0.0.1:4545/mcp'
const PUBLIC_URL = AUDIENCE.replace('/mcp', '')

const parts = fixture(async () => {
  await using starting = new AsyncDisposableStack()
  const key = await makeSigningKey()
  const issuer = starting.use(await startTokenIssuer({ audience: AUDIENCE, claims: { tenant }, keys: [key] }))
  const service = starting.use(
    await startService({
      settings: {
        SERVICE_OIDC_ISSUER: issuer.issuer,
        SERVICE_OIDC_AUDIENCE: `https://elsewhere.example, ${AUDIENCE}`,
        SERVICE_OIDC_OWNER_CLAIM: 'owner',
        SERVICE_PUBLIC_URL: PUBLIC_URL,
      },
    }),
  )
  const running = starting.move()
  return { key, issuer, service, [Symbol.asyncDispose]: () => running.disposeAsync() }
})

let good: JWTPayload
let foreignKey: SigningKey
beforeAll(async () => {
  foreignKey = await makeSigningKey()
  const now = Math.floor(Date.now() / 1000)
  good = {
    iss: parts.issuer.issuer,
    aud: AUDIENCE,
    sub: 'ann',
    exp: now + 600,
    iat: now,
    tenant,
    scope: 'read write',
  }
})

const clientWith = (token: string) => parts.service.clientOf(tenant, token)
const refusalOf = (token: string) => problemOf(clientWith(token).getStats())
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('a token of the issuer acts in its tenant, with its scopes', async () => {
  const client = clientWith(await parts.issuer.token('read write'))
  const memory = await client.createMemory(someMemory())
  expect((await parts.service.clientOf(tenant).getMemory({ id: memory.id })).content).toBe(memory.content)
  expect(await problemOf(client.listKeys())).toMatchObject({ code: 'forbidden' })
  const reader = clientWith(await parts.issuer.token('read'))
  expect((await reader.getStats()).memories.total).toBe(1)
  expect(await problemOf(reader.createMemory(someMemory()))).toMatchObject({ code: 'forbidden' })
  const elsewhere = createClient({
    baseUrl: parts.service.baseUrl,
    apiKey: await parts.issuer.token('read'),
    tenant: freshTenant(),
  })
  expect(await problemOf(elsewhere.getStats())).toMatchObject({ code: 'forbidden' })
})

test('a token with an owner uses private memories too, and administers nothing', async () => {
  const as = async (claims: JWTPayload, named = '') =>
    parts.service.clientOf(named, await signToken(parts.key, { ...good, ...claims }))
  const ann = await as({ owner: 'ann', scope: 'admin' })
  expect(await ann.getAccess()).toMatchObject({ tenant, owner: 'ann', scopes: ['read', 'write', 'delete'] })
  const { id, owner } = await ann.createMemory(someMemory())
  expect(owner).toBe('ann')
  const nobody = await as({})
  expect(await nobody.getAccess()).toMatchObject({ owner: null })
  for (const client of [await as({ owner: 'ben' }), nobody])
    expect(await problemOf(client.getMemory({ id }))).toMatchObject({ code: 'memory_not_found' })
  const forbidden = { code: 'forbidden' }
  const own = `${tenant}~ann`
  expect(await problemOf((await as({ owner: 'ben' }, own)).getMemory({ id }))).toMatchObject(forbidden)
  expect(await problemOf((await as({}, own)).getMemory({ id }))).toMatchObject(forbidden)
  expect(await (await as({ owner: 'ann' }, own)).getMemory({ id })).toMatchObject({ id })
  expect(await (await as({ scope: 'admin' }, own)).getMemory({ id })).toMatchObject({ id })
  for (const malformed of ['Ann', 'a~b', '', 7, ['ann'], null])
    expect(await problemOf((await as({ owner: malformed })).getStats())).toMatchObject({
      code: 'unauthorized',
    })
})

test('what an administrator does with a token is in the audit log', async () => {
  const admin = clientWith(await parts.issuer.token('admin'))
  await admin.putPolicy({ name: 'notes', health_decay: 1 })
  expect((await admin.listAudit({ limit: 1 })).entries[0]).toMatchObject({
    key_id: `oidc:${CLIENT.client_id}`,
  })
})

test('a token queries in Cypher only if its scopes name that', async () => {
  const query = { query: 'RETURN 1 AS one' }
  const named = clientWith(await signToken(parts.key, { ...good, scope: 'read mnemograph:cypher' }))
  expect(await named.runCypher(query)).toMatchObject({ rows: [{ one: 1 }] })
  expect(await problemOf(clientWith(await parts.issuer.token('admin')).runCypher(query))).toMatchObject({
    status: 403,
  })
})

const odd: readonly unknown[] = [
  { read: true },
  [{ toString: 1 }],
  [['read']],
  7,
  true,
  null,
  { toString: null },
]

test.each(odd)('a scope that is no text allows nothing: %j', async scope => {
  expect(await refusalOf(await signToken(parts.key, { ...good, scope }))).toMatchObject({
    status: 403,
    code: 'forbidden',
  })
})

test.each(odd)('a subject or tenant that is no name is refused: %j', async claim => {
  for (const wrong of [{ sub: claim }, { tenant: claim }, { owner: claim }])
    expect(await refusalOf(await signToken(parts.key, { ...good, ...wrong }))).toMatchObject({
      status: 401,
      code: 'unauthorized',
    })
  const expired = await signToken(parts.key, { ...good, sub: claim, exp: 1 })
  expect(await refusalOf(expired)).toMatchObject({ status: 401, code: 'unauthorized' })
})

test('scopes come as a list too, with a prefix; others mean nothing', async () => {
  const listed = await signToken(parts.key, { ...good, scope: ['mnemograph:read', 'openid', 'superuser'] })
  expect((await clientWith(listed).getStats()).memories).toBeDefined()
  expect(await refusalOf(await signToken(parts.key, { ...good, scope: 'openid' }))).toMatchObject({
    status: 403,
  })
})

test('an expired token is recorded under its holder, and one that the issuer did not sign is not', async () => {
  const other = freshTenant()
  const expired = { ...good, tenant: other, sub: 'bob', exp: Math.floor(Date.now() / 1000) - 60 }
  const logOf = async (of: string) =>
    (await parts.service.clientOf(of).listAudit({ operation: 'authenticate' })).entries
  expect(await refusalOf(await signToken(foreignKey, expired))).toMatchObject({ status: 401 })
  expect(await refusalOf(await signToken(parts.key, expired))).toMatchObject({ status: 401 })
  await expect
    .poll(async () => (await logOf(other))[0])
    .toMatchObject({ key_id: 'oidc:bob', outcome: 'unauthorized' })
  expect(await logOf(other)).toHaveLength(1)
  expect((await logOf('default')).length).toBeGreaterThan(0)
})

test('an operator’s key may look like a token', async () => {
  const operatorKey = 'an.operators.key-with-two-dots'
  await using service = await startService({
    operatorKey,
    settings: { SERVICE_OIDC_ISSUER: parts.issuer.issuer, SERVICE_OIDC_AUDIENCE: AUDIENCE },
  })
  expect((await service.client.getAccess()).operator).toBe(true)
  expect(await problemOf(service.clientOf(tenant, `${operatorKey}s`).getStats())).toMatchObject({
    status: 401,
  })
})

const attacks: Record<string, () => Promise<string> | string> = {
  'without a signature (alg none)': () => `${base64({ alg: 'none' })}.${base64(good)}.`,
  'without a signature, in capitals': () => `${base64({ alg: 'nOnE' })}.${base64(good)}.e30`,
  'with the public key as a secret (key confusion)': async () => {
    const input = `${base64({ alg: 'HS256', kid: parts.key.kid })}.${base64(good)}`
    const secret = await exportSPKI(parts.key.publicKey)
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
  },
  'with an algorithm that is not allowed': async () =>
    signToken({ ...(await makeSigningKey('RS512')), kid: parts.key.kid }, good),
  'by a key that the issuer does not publish': () => signToken(foreignKey, good),
  'by a key of the same id': () => signToken({ ...foreignKey, kid: parts.key.kid }, good),
  'with a key in its header (jwk)': () =>
    signToken(foreignKey, good, { jwk: foreignKey.jwk, kid: undefined }),
  'with an address of keys in its header (jku)': () =>
    signToken(foreignKey, good, { jku: 'http://127.0.0.1:9/keys' }),
  'with a path as key id': () => signToken(foreignKey, good, { kid: '../../../dev/null' }),
  'with a query as key id': () => signToken(foreignKey, good, { kid: "' UNION SELECT 'x" }),
  'with a critical header that nobody knows': () =>
    `${base64({ alg: 'ES256', kid: parts.key.kid, crit: ['b64x'], b64x: true })}.${base64(good)}.AAAA`,
  'of another issuer': () => signToken(parts.key, { ...good, iss: 'https://evil.example' }),
  'of an issuer with a slash more': () => signToken(parts.key, { ...good, iss: `${good.iss}/` }),
  'for another audience': () => signToken(parts.key, { ...good, aud: 'https://other.example' }),
  'for no audience': () => signToken(parts.key, { ...good, aud: undefined }),
  'that has expired': () => signToken(parts.key, { ...good, exp: Math.floor(Date.now() / 1000) - 60 }),
  'that never expires': () => signToken(parts.key, { ...good, exp: undefined }),
  'that is not valid yet': () =>
    signToken(parts.key, { ...good, nbf: Math.floor(Date.now() / 1000) + 3_600 }),
  'for no subject': () => signToken(parts.key, { ...good, sub: undefined }),
  'for no tenant': () => signToken(parts.key, { ...good, tenant: undefined }),
  'for several tenants': () => signToken(parts.key, { ...good, tenant: ['a', tenant] }),
  'for a tenant that is no name': () => signToken(parts.key, { ...good, tenant: '../default' }),
  'with an altered payload': async () => {
    const [head, , signature] = (await signToken(parts.key, good)).split('.')
    return `${head}.${base64({ ...good, scope: 'admin' })}.${signature}`
  },
  'with an altered signature': async () => `${(await signToken(parts.key, good)).slice(0, -6)}AAAAAA`,
  'that is very long': () => signToken(parts.key, { ...good, padding: 'x'.repeat(9_000) }),
  'that is no JSON': () => 'AAAA.BBBB.CCCC',
}

test.each(Object.keys(attacks))('a token %s is refused', async name => {
  expect(await refusalOf(await (attacks[name] as () => Promise<string>)())).toMatchObject({
    status: 401,
    code: 'unauthorized',
  })
})

test('a token that is as it should be is accepted, whichever algorithm signs it', async () => {
  expect((await clientWith(await signToken(parts.key, good)).getStats()).memories).toBeDefined()
  const [rsa, ed] = [await makeSigningKey('RS256'), await makeSigningKey('EdDSA')]
  parts.issuer.rotate([parts.key, rsa, ed])
  await expect
    .poll(async () => clientWith(await signToken(rsa, good)).getStats(), { interval: 500 })
    .toBeDefined()
  expect((await clientWith(await signToken(ed, good)).getStats()).memories).toBeDefined()
})

test('a stream ends when its token expires', async () => {
  const exp = Math.floor(Date.now() / 1000) - 28
  const { pieces } = await clientWith(await signToken(parts.key, { ...good, exp })).followChanges()
  let text = ''
  for await (const piece of pieces) text += piece
  expect(text).toMatch(/event: error\ndata: .*"unauthorized"/)
}, 60_000)

test('keys of the service work next to tokens', async () => {
  const { key } = await parts.service.clientOf(tenant).createKey({})
  expect((await clientWith(key).getStats()).memories).toBeDefined()
})

test('an MCP client that knows OAuth alone finds the issuer, signs in, and stores a memory', async () => {
  const endpoint = new URL(`${parts.service.url}/mcp`)
  const refused = await fetch(endpoint, { method: 'POST' })
  expect(refused.status).toBe(401)
  const metadata =
    /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? ''
  expect(metadata).toBe(`${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp`)
  const found = await fetch(`${parts.service.url}${new URL(metadata).pathname}`)
  expect(await found.json()).toMatchObject({
    resource: AUDIENCE,
    authorization_servers: [parts.issuer.issuer],
  })

  const authProvider = new ClientCredentialsProvider({
    clientId: CLIENT.client_id,
    clientSecret: CLIENT.client_secret,
    scope: 'read write',
    expectedIssuer: parts.issuer.issuer,
  })
  const toService: typeof fetch = (input, init) =>
    fetch(String(input).replace(PUBLIC_URL, parts.service.url), init)
  const client = new Client({ name: 'agent', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(AUDIENCE), { authProvider, fetch: toService }),
  )
  const { structuredContent } = await client.callTool({
    name: 'create_memory',
    arguments: { content: 'Stored by an agent that signed in' },
  })
  await client.close()
  const { id } = structuredContent as { id: string }
  expect((await parts.service.clientOf(tenant).getMemory({ id })).content).toBe(
    'Stored by an agent that signed in',
  )
})
