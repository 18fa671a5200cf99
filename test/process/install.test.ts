import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { shellScript } from '../support/shell-script.ts'

const run = promisify(execFile)
const folder = temporaryFolder()
const root = join(folder, 'checkout')
const npmCalls = join(folder, 'npm-calls')
const wanted = { '': {}, 'node_modules/node': { version: '24.0.0', integrity: 'sha512-a' } }

beforeEach(() => {
  rmSync(root, { recursive: true, force: true })
  rmSync(npmCalls, { force: true })
  mkdirSync(join(root, 'scripts'), { recursive: true })
  mkdirSync(join(root, 'node_modules/node/bin'), { recursive: true })
  copyFileSync(new URL('../../scripts/install.mjs', import.meta.url), join(root, 'scripts/install.mjs'))
  writeFileSync(join(root, 'node_modules/node/bin/node'), '')
  writeLock('package-lock.json', wanted)
  writeLock('node_modules/.package-lock.json', { 'node_modules/node': wanted['node_modules/node'] })
})

afterAll(() => rmSync(folder, { recursive: true }))

test('a start with everything installed installs nothing and says nothing', async () => {
  expect(await install()).toBe('')
  expect(existsSync(npmCalls)).toBe(false)
})

test('packages for other platforms may be missing', async () => {
  writeLock('package-lock.json', { ...wanted, 'node_modules/other': { version: '1.0.0', optional: true } })
  expect(await install()).toBe('')
})

test.each([
  [
    'nothing is installed',
    () => rmSync(join(root, 'node_modules'), { recursive: true }),
    'nothing is installed',
  ],
  ['a package has another version', () => writeLock('package-lock.json', upgraded), 'node is not 24.1.0'],
  ['a package was deleted', () => rmSync(join(root, 'node_modules/node'), { recursive: true }), 'is missing'],
  [
    'the Node of our scripts is not there',
    () => rmSync(join(root, 'node_modules/node/bin/node')),
    'install script',
  ],
])('when %s, npm ci runs, and the start fails if that does not help', async (_, spoil, reason) => {
  spoil()
  await expect(install()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(reason) })
  expect(readFileSync(npmCalls, 'utf8')).toBe('ci\n')
})

const upgraded = { '': {}, 'node_modules/node': { version: '24.1.0', integrity: 'sha512-b' } }

function writeLock(file: string, packages: object) {
  writeFileSync(join(root, file), JSON.stringify({ packages }))
}

async function install(): Promise<string> {
  const bin = shellScript(folder, 'npm', `echo "$*" >> '${npmCalls}'`)
  const env = { PATH: [bin, '/usr/bin', '/bin'].join(delimiter) }
  const { stdout, stderr } = await run(process.execPath, [join(root, 'scripts/install.mjs')], { env })
  return stdout + stderr
}
