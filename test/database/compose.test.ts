import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { documentedSettings } from '../../src/platform/settings.ts'
import { containerSettings } from '../support/container-settings.ts'

const compose = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8')

test('the Neo4j of the compose file has the settings of the managed one', () => {
  const said = Object.fromEntries(
    [...compose.matchAll(/^ +(NEO4J_[a-z]\w+): (.+)$/gm)].map(([, name, value]) => [
      name,
      plain(value ?? ''),
    ]),
  )
  expect(said).toMatchObject(containerSettings({ heap: 768, pageCache: 256 }))
})

test('nothing but the password of Neo4j must be set to start the Neo4j of the compose file', () => {
  expect([...compose.matchAll(/\$\{(\w+):?\?/g)].map(([, name]) => name)).toEqual(['NEO4J_PASSWORD'])
})

test('the compose file hands every setting on, but those that have no place in its container', () => {
  const [, service = ''] = compose.split(/^ {2}service:$/m)
  const left = documentedSettings()
    .map(({ name }) => name)
    .filter(name => !new RegExp(`^ {6}${name}:`, 'm').test(service))
  expect(left).toEqual([
    ...['SERVICE_ROLE', 'SERVICE_DATA_DIR', 'SERVICE_NEO4J', 'NEO4J_DATABASE', 'SERVICE_GRAPHQL_SAFELIST'],
    ...['SERVICE_MCP_URL', 'SERVICE_MCP_API_KEY'],
  ])
})

/** Without quotes, and with the value that a variable has when it is not set. */
const plain = (value: string) => value.replaceAll("'", '').replace(/^\$\{\w+:-(.*)\}$/, '$1')
