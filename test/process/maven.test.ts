import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandOf, findMaven, runMaven } from '../../src/platform/maven.ts'
import { temporaryFolder } from '../../tools/temporary-folder.ts'

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
  const run = { cwd, goal: 'list', options, onLine: (line: string) => void lines.push(line) }
  expect(await runMaven(findMaven(machine) as string, machine, run)).toBeUndefined()
  expect(lines).toEqual([cwd, '<-B>', '<-Dstyle.color=never>', `<-DoutputFile=${cwd}/class path>`, '<list>'])
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
