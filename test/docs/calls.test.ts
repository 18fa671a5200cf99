import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { withService } from '../support/service.ts'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const calls = /## First calls.*?```sh\n(.*?)```/s.exec(readme)?.[1] ?? ''

const service = withService()

test('the first calls of the README work as they stand there', async () => {
  const { key } = await service.client.createKey({})
  const script = calls.replace(/^URL=.*$/m, `URL=${service.baseUrl}`).replace(/^KEY=.*$/m, `KEY=${key}`)
  const { stdout } = await promisify(execFile)('sh', ['-ec', script])
  const answers = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>)
  expect(answers).toEqual([
    expect.objectContaining({ id: expect.any(String), tags: ['bread'] }),
    expect.objectContaining({ id: expect.any(String), policy: 'long_term' }),
    expect.objectContaining({ results: [expect.anything(), expect.anything()] }),
    expect.objectContaining({ memories: [expect.anything()] }),
    expect.objectContaining({ connections: [] }),
    expect.objectContaining({ queue: expect.objectContaining({ depth: 2 }) }),
  ])
})
