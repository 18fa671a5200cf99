import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { fingerprint } from '../../scripts/python-client.ts'
import { adapterPackages, pythonWith } from '../support/python.ts'
import { OPERATOR_KEY, withService } from '../support/service.ts'

const run = promisify(execFile)
const project = 'clients/python'

const { python, reason } = pythonWith(...adapterPackages)
const noPython = python ? '' : `: ${reason}`

const service = withService()

/** What Python says, also where it fails. */
const say = (...words: string[]) =>
  run(python as string, words, {
    cwd: project,
    env: {
      PATH: process.env.PATH,
      PYTHONPATH: 'src',
      PYTHONDONTWRITEBYTECODE: '1',
      MNEMOGRAPH_TEST_URL: service.url,
      MNEMOGRAPH_TEST_KEY: OPERATOR_KEY,
    },
  }).catch((error: { stdout: string; stderr: string }) => error)

test('the generated parts of the Python client are of this contract: npm run python-client', () => {
  for (const file of ['models', '_async/operations', '_sync/operations'])
    expect(readFileSync(`${project}/src/mnemograph_client/${file}.py`, 'utf8').split('\n')[1]).toBe(
      `# ${fingerprint()}`,
    )
})

test.skipIf(!python)(
  `the Python client calls every kind of operation, sync and async${noPython}`,
  async () => {
    const { stdout, stderr } = await say('-m', 'pytest', '-q', '-p', 'no:cacheprovider')
    expect(stdout + stderr).toMatch(/\d+ passed/)
    expect(stdout).not.toMatch(/failed/)
  },
)

test.skipIf(!python)(`the types of the Python client hold, strictly${noPython}`, async () => {
  const { stdout } = await say('-m', 'mypy', '--cache-dir=/dev/null', 'src', 'tests')
  expect(stdout).toMatch(/^Success/)
})
