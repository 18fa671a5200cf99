import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { documentedSettings } from '../../src/platform/settings.ts'

const chart = (file: string) => readFileSync(`ops/helm/${file}`, 'utf8')
const known = documentedSettings().map(({ name }) => name)

test.each(['small', 'large'])('the chart values for a %s service name settings that exist', name => {
  const { settings } = parse(chart(`examples/${name}.yaml`)) as { settings: Record<string, unknown> }
  expect(Object.keys(settings).filter(each => !known.includes(each))).toEqual([])
  for (const value of Object.values(settings)) expect(value).toBeTypeOf('string')
})

test('the chart runs the version of the service, with the settings that it gives itself', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  expect(parse(chart('mnemograph/Chart.yaml'))).toMatchObject({ version, appVersion: version })
  const given = [...chart('mnemograph/templates/_helpers.tpl').matchAll(/\{ name: ([A-Z]\w+), value/g)]
  expect(given.map(([, name]) => name)).toEqual([
    'SERVICE_ROLE',
    'NEO4J_URI',
    'NEO4J_USERNAME',
    'NEO4J_DATABASE',
  ])
  expect(known).toEqual(expect.arrayContaining(given.map(([, name]) => name)))
})
