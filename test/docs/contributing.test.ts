import { execFile } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { folderOf } from '../support/cli.ts'

const run = promisify(execFile)
const steps = readFileSync('CONTRIBUTING.md', 'utf8')

/** A copy of the sources to which a newcomer adds something. */
function copyOfSources(): string {
  const folder = folderOf({})
  for (const name of ['src', 'integrations', 'schema', 'docs', 'scripts', 'tools', 'ops', 'package.json'])
    cpSync(name, join(folder, name), {
      recursive: true,
      filter: path => !path.endsWith('node_modules'),
    })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  return folder
}

function insert(path: string, before: string, line: string) {
  const text = readFileSync(path, 'utf8')
  expect(text.split(before)).toHaveLength(2)
  writeFileSync(path, text.replace(before, `${line}\n  ${before}`))
}

test('a setting is added where CONTRIBUTING says, and is read and documented', async () => {
  const [step = ''] = /^- A setting is .*$/m.exec(steps) ?? []
  const [settings = ''] = /src\/[^`]+/.exec(step) ?? []
  const cwd = copyOfSources()
  const before = 'SERVICE_HISTORY_VERSIONS: '
  insert(
    join(cwd, settings),
    before,
    "SERVICE_PATIENCE: setting(integer(0, 9).default(3), 'How patient it is.'),",
  )
  insert(join(cwd, 'src/platform/config.ts'), 'historyVersions: ', 'patience: env.SERVICE_PATIENCE,')
  const [, command = ''] = /run `npm run (\w+)`/.exec(step) ?? []
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  const [, ...words] = scripts[command]?.split(' ') ?? []
  await run(process.execPath, words, { cwd })
  expect(readFileSync(join(cwd, 'docs/reference/settings.md'), 'utf8')).toContain(
    '| `SERVICE_PATIENCE` | `3` | How patient it is. |',
  )
  const reading = `import { readConfig } from './src/platform/config.ts'
    process.stdout.write(String(readConfig({ SERVICE_PATIENCE: '7' }).patience))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', reading], { cwd })
  expect(stdout).toBe('7')
})
