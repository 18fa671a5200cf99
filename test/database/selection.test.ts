import { readFileSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig, readMachine } from '../../src/platform/config.ts'
import { findDatabase } from '../../src/platform/neo4j/index.ts'
import { findJava, javaCandidates } from '../../src/platform/neo4j/java.ts'
import { lockFolder } from '../../src/platform/neo4j/lock.ts'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { shellScript } from '../support/shell-script.ts'

const folder = temporaryFolder()
const bare = readMachine({ PATH: '', XDG_CACHE_HOME: folder })
const silent = () => {}

afterAll(() => rmSync(folder, { recursive: true }))

test('a Neo4j that is named in the settings is taken before all others', async () => {
  const said: string[] = []
  const config = readConfig({ NEO4J_URI: 'bolt://db.example:7687', NEO4J_PASSWORD: 'sesame' })
  const database = await findDatabase(config, line => said.push(line), undefined, bare)
  expect(database).toMatchObject({ provider: 'external', uri: 'bolt://db.example:7687', password: 'sesame' })
  expect(said).toEqual(['Neo4j: the one at bolt://db.example:7687 (NEO4J_URI)'])
})

test('a machine with nothing to run Neo4j hears why, and the three remedies', async () => {
  const config = readConfig({ SERVICE_DATA_DIR: join(folder, 'nothing') })
  const failure = expect(findDatabase(config, silent, undefined, bare)).rejects
  await failure.toMatchObject({ name: 'NoDatabaseError' })
  await failure.toThrow(/external: NEO4J_URI is not set/)
  await failure.toThrow(/docker: no Docker engine answers/)
  await failure.toThrow(/managed: .*(Java|Maven)/)
  await failure.toThrow(/1\. Set NEO4J_URI[\s\S]*2\. Start a Docker engine[\s\S]*3\. Install Java 21/)
})

test('a provider that is forced is the only one that is tried', async () => {
  const config = readConfig({ SERVICE_NEO4J: 'docker', SERVICE_DATA_DIR: join(folder, 'forced') })
  const failure = expect(findDatabase(config, silent, undefined, bare)).rejects
  await failure.toThrow(/docker: no Docker engine answers/)
  await failure.toThrow(/no other way than docker\. Start a Docker engine .* Or unset SERVICE_NEO4J/)
  await failure.not.toThrow(/managed:|Install Java/)
})

test('the Docker provider starts the compose service with a password of its own and keeps both', async () => {
  const log = join(folder, 'docker.log')
  const bin = shellScript(folder, 'docker', `echo "$* with $NEO4J_PASSWORD on $NEO4J_BOLT_PORT" >> '${log}'`)
  const machine = readMachine({ PATH: `${bin}${delimiter}/usr/bin${delimiter}/bin` })
  const config = readConfig({ SERVICE_DATA_DIR: join(folder, 'docker') })
  const first = await findDatabase(config, silent, undefined, machine)
  const second = await findDatabase(config, silent, undefined, machine)
  expect(second).toMatchObject({ provider: 'docker', uri: first.uri, password: first.password })
  const port = new URL(first.uri).port
  expect(readFileSync(log, 'utf8').trim().split('\n')[1]).toMatch(
    new RegExp(`^compose -p mnemograph-[0-9a-f]{8} up -d --wait neo4j with ${first.password} on ${port}$`),
  )
})

test('a Java that is too old is named with its version and place', async () => {
  const old = [fakeJava('17.0.15'), fakeJava('1.8.0_402')]
  const failure = expect(findJava(old)).rejects
  await failure.toThrow('Neo4j needs Java 21 or newer; found only Java 17 at ')
  await failure.toThrow(`8 at ${old[1]}`)
  await expect(findJava([])).rejects.toThrow('found no Java')
})

test('the first Java that is new enough is taken, JAVA_HOME before PATH', async () => {
  const [tooOld, good, other] = ['20.0.1', '21.0.2', '25'].map(fakeJava) as [string, string, string]
  expect(await findJava([tooOld, good, other])).toEqual({ path: good, version: 21 })
  const machine = readMachine({ JAVA_HOME: join(good, '../..'), PATH: join(other, '..') })
  expect(javaCandidates(machine).slice(0, 2)).toEqual([good, other])
})

test('a folder can be locked again once its lock is given back', () => {
  const first = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(`in use by another service (process ${process.pid})`)
  first[Symbol.dispose]()
  lockFolder(folder)[Symbol.dispose]()
})

function fakeJava(version: string): string {
  return join(shellScript(folder, 'java', `echo 'openjdk version "${version}" 2025-04-15' >&2`), 'java')
}
