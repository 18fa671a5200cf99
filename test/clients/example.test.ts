import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as exported from '../../clients/typescript/src/index.ts'
import { OPERATOR_KEY, withService } from '../support/service.ts'

const service = withService()

test('the example for TypeScript does what it says', async () => {
  const text = readFileSync(new URL('../../docs/reference/clients.md', import.meta.url), 'utf8')
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(text) ?? []
  const body = example
    .replace(/^import .*$/m, '')
    .replace('http://127.0.0.1:4545', service.url)
    .replace("apiKey: 'KEY'", `apiKey: '${OPERATOR_KEY}', tenant: '${service.tenant}'`)
  const said: unknown[][] = []
  const run = new Function('createClient', 'ProblemError', 'console', `return (async () => {${body}})()`)
  await run(exported.createClient, exported.ProblemError, { log: (...words: unknown[]) => said.push(words) })
  expect(said).toEqual([
    [expect.any(Number), 'Sourdough rises slowly in a cold kitchen'],
    [412, 'version_mismatch'],
  ])
})
