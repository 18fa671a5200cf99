import { expect, test } from 'vitest'
import { ConfigError, readClientConfig, readConfig } from '../../src/platform/config.ts'

const production = {
  NODE_ENV: 'production',
  SERVICE_SERVER_API_KEY: 'k'.repeat(32),
  NEO4J_URI: 'bolt://db:7687',
}

test('every setting has a usable default in development', () => {
  const { host, port, production, embedding, discovery, rateLimit } = readConfig({})
  expect({ host, port, production, rateLimit }).toEqual({
    host: '127.0.0.1',
    port: 4545,
    production: false,
    rateLimit: 0,
  })
  expect(embedding.provider).toBe('builtin')
  expect(discovery.threshold).toBeUndefined()
})

test('production starts with a key and an external Neo4j', () => {
  expect(readConfig(production)).toMatchObject({ production: true, host: '127.0.0.1' })
  expect(readConfig({ ...production, SERVICE_HOST: '0.0.0.0' }).host).toBe('0.0.0.0')
})

test.each([
  ['without a key', { SERVICE_SERVER_API_KEY: undefined }, ['SERVICE_SERVER_API_KEY']],
  ['with an empty key', { SERVICE_SERVER_API_KEY: '' }, ['SERVICE_SERVER_API_KEY']],
  ['with a short key', { SERVICE_SERVER_API_KEY: 'k'.repeat(31) }, ['SERVICE_SERVER_API_KEY']],
  [
    'with a blank in the key',
    { SERVICE_SERVER_API_KEY: 'four words '.repeat(4) },
    ['SERVICE_SERVER_API_KEY'],
  ],
  ['with a key that is no ASCII', { SERVICE_SERVER_API_KEY: 'é'.repeat(32) }, ['SERVICE_SERVER_API_KEY']],
  ['with a Neo4j of its own', { SERVICE_NEO4J: 'managed' }, ['NEO4J_URI']],
  ['with a Neo4j in Docker', { SERVICE_NEO4J: 'docker' }, ['NEO4J_URI']],
  ['without a Neo4j', { NEO4J_URI: undefined }, ['NEO4J_URI']],
  [
    'with a bad value next to a missing one',
    { SERVICE_PORT: 'abc', NEO4J_URI: undefined },
    ['SERVICE_PORT', 'NEO4J_URI'],
  ],
  [
    'with none of these',
    { SERVICE_SERVER_API_KEY: undefined, NEO4J_URI: undefined },
    ['SERVICE_SERVER_API_KEY', 'NEO4J_URI'],
  ],
])('production does not start %s', (_, settings, names) => {
  const faults = faultsOf({ ...production, ...settings })
  expect(faults).toHaveLength(names.length)
  for (const [index, name] of names.entries()) expect(faults[index]).toContain(name)
})

test('without a key the service listens on loopback only', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1'])
    expect(readConfig({ SERVICE_HOST: host }).host).toBe(host)
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'example.com'])
    expect(faultsOf({ SERVICE_HOST: host })).toEqual([expect.stringContaining('SERVICE_SERVER_API_KEY')])
  expect(readConfig({ SERVICE_HOST: '0.0.0.0', SERVICE_SERVER_API_KEY: 'k' }).host).toBe('0.0.0.0')
})

test('all faults are reported at once, including unknown names', () => {
  const faults = faultsOf({
    SERVICE_PROT: '4545',
    SERVICE_PORT: '70000',
    SERVICE_RATE_LIMIT: '1e3',
    SERVICE_AUTO_DISCOVERY_THRESHOLD: '1.5',
    SERVICE_LOG_LEVEL: 'loud',
    NODE_ENV: 'staging',
    OPENAI_BASE_URL: 'ftp://models',
  })
  const names = faults.map(fault => fault.split(/[ :]/)[0]).toSorted()
  expect(names).toEqual([
    'NODE_ENV',
    'OPENAI_BASE_URL',
    'SERVICE_AUTO_DISCOVERY_THRESHOLD',
    'SERVICE_LOG_LEVEL',
    'SERVICE_PORT',
    'SERVICE_PROT',
    'SERVICE_RATE_LIMIT',
  ])
})

test.each(['0x10', '1.5', ' 80', '-1', '65536', 'eighty'])('"%s" is no port', port => {
  expect(faultsOf({ SERVICE_PORT: port })).toHaveLength(1)
})

test('a setting that is empty is as one that is not given', () => {
  expect(readConfig({ SERVICE_PORT: '' }).port).toBe(4545)
})

test("names that are not the service's own are left alone", () => {
  expect(readConfig({ HOME: '/root', NEO4J_VERSION: '5', MY_SERVICE_PORT: 'x' }).port).toBe(4545)
})

test('names that platforms set in every container are ignored, and reported once', () => {
  const names = [
    'SERVICE_URL_MNEMOGRAPH',
    'SERVICE_URL_MNEMOGRAPH_4545',
    'SERVICE_FQDN_MNEMOGRAPH',
    'SERVICE_PASSWORD_NEO4J',
    'SERVICE_PASSWORD_64_DB',
    'SERVICE_PASSWORDWITHSYMBOLS_DB',
    'SERVICE_USER_NEO4J',
    'SERVICE_BASE64_TOKEN',
    'SERVICE_NAME_WEB',
    'SERVICE_NAME',
    'SERVICE_TAGS',
    'SERVICE_4545_NAME',
    'SERVICE_SERVICE_HOST',
    'SERVICE_SERVICE_PORT',
    'SERVICE_PORT_4545_TCP_ADDR',
    'SERVICE_REGION',
    'SERVICE_VERSION',
  ]
  const config = readConfig(Object.fromEntries(names.map(name => [name, 'value'])))
  expect(config.foreign).toEqual(names)
  expect(readConfig({}).foreign).toEqual([])
})

test('the address of a linked container in the place of a setting is ignored too', () => {
  const environment = { SERVICE_PORT: 'tcp://10.96.0.12:4545', SERVICE_HOST: '127.0.0.1' }
  expect(readConfig(environment)).toMatchObject({ port: 4545, foreign: ['SERVICE_PORT'] })
  expect(readClientConfig(environment)).toMatchObject({ port: 4545 })
})

test.each([
  'SERVICE_PROT',
  'SERVICE_HOTS',
  'SERVICE_API_KEY',
  'SERVICE_SERVER_KEY',
  'SERVICE_SERVER_APIKEY',
  'SERVICE_EMBEDDING_KEY',
  'SERVICE_EMBEDDINGS_PROVIDER',
  'SERVICE_LOGLEVEL',
  'SERVICE_RATELIMIT',
  'SERVICE_OIDC_CLIENT',
  'SERVICE_DATADIR',
])('%s resembles a setting and stops the start', name => {
  expect(faultsOf({ [name]: 'x' })).toEqual([expect.stringContaining(`${name} is not a setting`)])
})

test('no fault repeats the value of a secret', () => {
  const secret = 'too-short-secret'
  expect(faultsOf({ ...production, SERVICE_SERVER_API_KEY: secret }).join()).not.toContain(secret)
})

function faultsOf(environment: Record<string, string | undefined>): readonly string[] {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}
