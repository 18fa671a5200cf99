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
const integrity = 'sha512-a'
const wanted = {
  '': {},
  'node_modules/neo4j-driver': { version: '6.0.0', integrity },
  'node_modules/node': { version: '24.0.0', integrity, dev: true },
}
const { 'node_modules/neo4j-driver': driver, 'node_modules/node': node } = wanted

beforeEach(() => {
  rmSync(root, { recursive: true, force: true })
  rmSync(npmCalls, { force: true })
  mkdirSync(join(root, 'scripts'), { recursive: true })
  mkdirSync(join(root, 'samples'))
  mkdirSync(join(root, 'node_modules/neo4j-driver'), { recursive: true })
  mkdirSync(join(root, 'node_modules/node/bin'), { recursive: true })
  mkdirSync(join(root, 'src/pages/node_modules'), { recursive: true })
  for (const name of ['install.mjs', 'pages.mjs'])
    copyFileSync(new URL(`../../scripts/${name}`, import.meta.url), join(root, 'scripts', name))
  writeFileSync(join(root, 'node_modules/node/bin/node'), '')
  writeLock('package-lock.json', wanted)
  writeLock('node_modules/.package-lock.json', {
    'node_modules/neo4j-driver': driver,
    'node_modules/node': node,
  })
  for (const file of ['package-lock.json', 'node_modules/.package-lock.json'])
    writeLock(join('src/pages', file), {})
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
  [
    'a package has another version',
    () => writeLock('package-lock.json', upgraded),
    'neo4j-driver is not 6.1.0',
  ],
  ['a package was deleted', () => rmSync(join(root, 'node_modules/node'), { recursive: true }), 'is missing'],
  [
    'the Node of our scripts is not there',
    () => rmSync(join(root, 'node_modules/node/bin/node')),
    'install script',
  ],
])('when %s, npm ci runs, and the start fails if that does not help', async (_, spoil, reason) => {
  spoil()
  await expect(install()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(reason) })
  expect(calls()).toEqual(['ci'])
})

const upgraded = { ...wanted, 'node_modules/neo4j-driver': { version: '6.1.0', integrity: 'sha512-b' } }

test('a start installs only the packages that it needs to run', async () => {
  rmSync(join(root, 'node_modules'), { recursive: true })
  await expect(install('start')).rejects.toMatchObject({ code: 1 })
  expect(calls()).toEqual(['ci --omit=dev'])
  mkdirSync(join(root, 'node_modules/neo4j-driver'), { recursive: true })
  writeLock('node_modules/.package-lock.json', { 'node_modules/neo4j-driver': driver })
  expect(await install('start')).toBe('')
})

test('the packages of the console are installed next to those of the service', async () => {
  rmSync(join(root, 'src/pages/node_modules'), { recursive: true })
  await expect(install('start')).rejects.toMatchObject({ stderr: expect.stringContaining('of the console') })
  expect(calls()).toEqual(['ci --omit=dev'])
  rmSync(npmCalls)
  await expect(install()).rejects.toMatchObject({ code: 1 })
  expect(calls()).toEqual(['ci'])
})

test('binaries of the runtime of the model for other systems are removed', async () => {
  const binaries = 'node_modules/onnxruntime-node/bin/napi-v6'
  const own = join(root, binaries, process.platform, process.arch)
  const others = [join(root, binaries, 'amiga/m68k'), join(root, binaries, process.platform, 'm68k')]
  for (const folder of [own, ...others]) mkdirSync(folder, { recursive: true })
  writeLock('node_modules/.package-lock.json', {})
  const npm = `cp package-lock.json node_modules/.package-lock.json`
  await install('start', npm)
  expect([own, ...others].map(path => existsSync(path))).toEqual([true, false, false])
})

const calls = () => readFileSync(npmCalls, 'utf8').trim().split('\n')

function writeLock(file: string, packages: object) {
  writeFileSync(join(root, file), JSON.stringify({ packages }))
}

async function install(word = '', npm = ''): Promise<string> {
  const bin = shellScript(folder, 'npm', `echo "$*" >> '${npmCalls}'\n${npm}`)
  const env = { PATH: [bin, '/usr/bin', '/bin'].join(delimiter) }
  const { stdout, stderr } = await run(process.execPath, [join(root, 'scripts/install.mjs'), word], { env })
  return stdout + stderr
}
