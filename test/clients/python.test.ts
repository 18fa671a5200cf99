import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { fingerprint } from '../../scripts/python-client.ts'
import { keepOutput } from '../support/output.ts'
import { adapterPackages, pythonWith, sourceOf } from '../support/python.ts'
import { OPERATOR_KEY, withService } from '../support/service.ts'

const run = promisify(execFile)
const project = 'clients/python'
const SUITE_MS = 900_000

const { python, reason } = pythonWith(...adapterPackages)
const noPython = python ? '' : `: ${reason}`

const service = withService()

/** What Python says, also where it fails. */
const say = (...words: string[]) => sayIn(project, ...words)

async function sayIn(cwd: string, ...words: string[]): Promise<{ stdout: string; stderr: string }> {
  const said = await run(python as string, words, {
    cwd,
    env: {
      PATH: process.env.PATH,
      PYTHONPATH: [resolve(project, 'src'), resolve(project, 'tests', 'library')].join(delimiter),
      PYTHONDONTWRITEBYTECODE: '1',
      MNEMOGRAPH_TEST_URL: service.url,
      MNEMOGRAPH_TEST_KEY: OPERATOR_KEY,
    },
  }).catch((error: { stdout: string; stderr: string }) => error)
  keepOutput(`${said.stdout}\n${said.stderr}`)
  return said
}

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
  SUITE_MS,
)

/** What a store without a model of its own cannot do as the one in memory does. */
const ofItsModel = [
  // The attribute `index_config`, which only a store with a model has.
  'test_vector_store_initialization',
  // The query "bbbbluuu" is near to "blue" for a model that counts characters.
  'test_vector_search_with_filters',
  'test_async_vector_search_with_filters',
  // Scores of single fields, by the same model.
  'test_embed_with_path',
]

test.skipIf(!python)(
  `the tests that LangGraph has for its own store pass${noPython}`,
  async () => {
    const words = [
      '-m',
      'pytest',
      '-q',
      '-p',
      'no:cacheprovider',
      '-p',
      'langgraph_store',
      'tests/test_store.py',
    ]
    const left = ofItsModel.flatMap(name => ['--deselect', `tests/test_store.py::${name}`])
    const { stdout, stderr } = await sayIn(
      sourceOf(python as string, 'langgraph-checkpoint==4.3.2'),
      ...words,
      ...left,
    )
    expect(stdout + stderr).toMatch(/113 passed/)
    expect(stdout).not.toMatch(/failed/)
  },
  SUITE_MS,
)

test.skipIf(!python)(
  `the types of the Python client hold, strictly${noPython}`,
  async () => {
    const { stdout } = await say(
      '-m',
      'mypy',
      `--cache-dir=${resolve(python as string, '..', '..', 'types-of-client')}`,
      'src',
      'tests',
    )
    expect(stdout).toMatch(/^Success/)
  },
  SUITE_MS,
)
