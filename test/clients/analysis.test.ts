import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { keepOutput } from '../support/output.ts'
import { analysisPackages, pythonWith } from '../support/python.ts'
import { rememberIds } from '../support/seed.ts'
import { OPERATOR_KEY, withService } from '../support/service.ts'

const run = promisify(execFile)
const RUN_MS = 300_000
const { python, reason } = pythonWith(...analysisPackages)
const noPython = python ? '' : `: ${reason}`

const service = withService()

async function say(words: readonly string[], env: Record<string, string>) {
  const said = await run(python as string, words, {
    cwd: 'clients/python',
    env: {
      PATH: process.env.PATH,
      HOME: temporaryFolder(),
      PYTHONPATH: resolve('clients/python/src'),
      PYTHONDONTWRITEBYTECODE: '1',
      MPLBACKEND: 'module://matplotlib_inline.backend_inline',
      ...env,
    },
  }).catch((error: { stdout: string; stderr: string }) => error)
  keepOutput(`${said.stdout}\n${said.stderr}`)
  return said.stdout + said.stderr
}

test.skipIf(!python)(
  `NetworkX, pandas, polars and numpy read a graph${noPython}`,
  async () => {
    const said = await say(
      ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'tests/adapters/test_analysis.py'],
      { MNEMOGRAPH_TEST_URL: service.url, MNEMOGRAPH_TEST_KEY: OPERATOR_KEY },
    )
    expect(said).toMatch(/7 passed/)
  },
  RUN_MS,
)

test.skipIf(!python)(
  `the notebook walks from a question to a plot${noPython}`,
  async () => {
    const { client } = service.newTenant()
    const ids = await rememberIds(client, [
      'Deployments need smoke tests',
      'Smoke tests run in the pipeline',
      'The pipeline failed',
    ])
    for (const [source_id, target_id] of [
      [ids[0], ids[1]],
      [ids[1], ids[2]],
    ] as const)
      await client.createConnection({ source_id, target_id, relationship_type: 'caused_by' })
    const { key } = await client.createKey({ name: 'notebook', scopes: ['read'] })
    const file = join(temporaryFolder(), 'run.ipynb')
    const notebook = resolve('examples/python/analysis.ipynb')
    const program =
      'import sys, nbformat; from nbclient import NotebookClient; book = nbformat.read(sys.argv[1], 4); NotebookClient(book, timeout=200).execute(); nbformat.write(book, sys.argv[2])'
    const said = await say(['-c', program, notebook, file], {
      MNEMOGRAPH_URL: service.url,
      MNEMOGRAPH_KEY: key,
    })
    expect(said).not.toContain('Error')
    const { cells } = JSON.parse(readFileSync(file, 'utf8')) as {
      cells: { outputs?: { data?: Record<string, string>; text?: string[] }[] }[]
    }
    const outputs = cells.flatMap(cell => cell.outputs ?? [])
    const printed = outputs.flatMap(({ text = [] }) => text).join('')
    expect(printed).toContain('3 memories, 2 connections')
    expect(outputs.some(({ data = {} }) => 'image/png' in data)).toBe(true)
  },
  RUN_MS,
)
