import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandOf, findMaven, runMaven } from '../../src/platform/maven.ts'
import jars from '../../src/platform/neo4j/jars.json' with { type: 'json' }
import { neo4jClasspath, neo4jVersion } from '../../src/platform/neo4j/maven.ts'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { shellScript } from '../support/shell-script.ts'

test('Maven runs from a folder with a blank, in another one, with a path with a blank', async () => {
  const folder = join(temporaryFolder(), 'Program Files', 'maven & co')
  const cwd = join(temporaryFolder(), 'Ada Lovelace')
  for (const each of [folder, cwd]) mkdirSync(each, { recursive: true })
  writeFileSync(join(folder, 'mvn'), '#!/bin/sh\npwd\nfor word in "$@"; do echo "<$word>"; done\n')
  chmodSync(join(folder, 'mvn'), 0o755)
  const environment = { PATH: `${folder}:/usr/bin:/bin` }
  const machine = { path: [folder], javaHome: undefined, cacheDir: cwd, environment }
  const lines: string[] = []
  const options = { outputFile: join(cwd, 'class path') }
  const dependencies = [{ group: 'a.group', name: 'a-name', version: '1.2' }]
  const tasks = '<echo message="fetched"/>'
  const run = { cwd, dependencies, tasks, options, onLine: (line: string) => void lines.push(line) }
  expect(await runMaven(findMaven(machine) as string, machine, run)).toBeUndefined()
  const goal = expect.stringMatching(/^<org\.apache\.maven\.plugins:maven-antrun-plugin:[\d.]+:run>$/)
  expect(lines).toEqual([cwd, '<-B>', '<-Dstyle.color=never>', `<-DoutputFile=${cwd}/class path>`, goal])
  const project = readFileSync(join(cwd, 'pom.xml'), 'utf8')
  expect(project).toContain('<groupId>a.group</groupId><artifactId>a-name</artifactId><version>1.2</version>')
  expect(project).toContain(`<target>${tasks}</target>`)
})

test('on Windows every word is quoted for the command processor, and no shell is asked for', () => {
  const words = ['-B', '-DoutputFile=C:\\Users\\Ada L\\class path', 'list']
  expect(commandOf('C:\\Program Files\\maven\\bin\\mvn.cmd', words, 'win32')).toEqual({
    command: 'cmd.exe',
    args: [
      '/d',
      '/s',
      '/c',
      '""C:\\Program Files\\maven\\bin\\mvn.cmd" "-B" "-DoutputFile=C:\\Users\\Ada L\\class path" "list""',
    ],
  })
})

test('the list of jars is that of the version, and names each jar with its SHA-256', () => {
  expect(jars).toHaveProperty([`org.neo4j:neo4j:${neo4jVersion}`])
  for (const [coordinates, sha256] of Object.entries(jars)) {
    expect(coordinates).toMatch(/^[\w.-]+(:[\w.-]+){2,3}$/)
    expect(sha256).toMatch(/^[0-9a-f]{64}$/)
  }
})

test('jars that the list does not help to fetch are found by Maven, and a jar with another content is refused', async () => {
  const cacheDir = temporaryFolder()
  const jar = join(cacheDir, `neo4j-${neo4jVersion}.jar`)
  writeFileSync(jar, 'not Neo4j')
  const calls = join(cacheDir, 'calls')
  const script = `echo "$*" >> '${calls}'\ncase "$*" in *maven.repo.local*) exit 1;; esac\nprintf %s '${jar}' > classpath`
  const folder = shellScript(temporaryFolder(), 'mvn', script)
  const machine = { path: [folder], javaHome: undefined, cacheDir, environment: { PATH: '/usr/bin:/bin' } }
  const said: string[] = []
  const classpath = neo4jClasspath(
    machine,
    { path: '/usr/bin/java', version: 25 },
    line => void said.push(line),
  )
  await expect(classpath).rejects.toThrow(/does not have the expected SHA-256/)
  expect(readFileSync(calls, 'utf8').trim().split('\n')).toHaveLength(2)
  expect(said).toEqual([expect.stringContaining('could not fetch the listed jars')])
  expect(existsSync(jar)).toBe(false)
})
