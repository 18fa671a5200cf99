import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { folderWithClient } from '../support/packed-client.ts'
import { freshTenant, OPERATOR_KEY, withService } from '../support/service.ts'

/** Not the kind that waits: the service answers in this process. */
const run = promisify(execFile)

const service = withService()
const root = fileURLToPath(new URL('../..', import.meta.url))

test('the package of the client needs zod alone, is small, and works where only it is installed', async () => {
  const { folder, installed, bytes } = await folderWithClient(['zod'])
  expect(bytes).toBeLessThan(100_000)
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(Object.keys(dependencies)).toEqual(['zod'])

  const tenant = freshTenant()
  const use = `import { createClient, ProblemError } from '@mnemograph/client'
    const client = createClient({ baseUrl: '${service.baseUrl}', apiKey: '${OPERATOR_KEY}', tenant: '${tenant}' })
    const { id } = await client.createMemory({ content: 'A packed walrus', policy: 'long_term', ttl_seconds: 0 })
    const { results } = await client.searchMemories({ query: 'walrus', search_type: 'keyword' })
    const refused = await client.getMemory({ id: crypto.randomUUID() }).catch(error => error)
    console.log(JSON.stringify([results[0].memory.id === id, refused instanceof ProblemError, refused.problem.code]))`
  writeFileSync(join(folder, 'use.mjs'), use)
  const { stdout } = await run(process.execPath, ['use.mjs'], { cwd: folder })
  expect(JSON.parse(stdout)).toEqual([true, true, 'memory_not_found'])

  const typed = `import { createClient } from '@mnemograph/client'
    const client = createClient({ baseUrl: '' })
    export const found: Promise<{ id: string }> = client.getMemory({ id: '' })
    // @ts-expect-error a misspelt field is noticed
    void client.getMemory({ ib: '' })`
  writeFileSync(join(folder, 'use.mts'), typed)
  const check = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    'use.mts',
  ]
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  await run(join(root, 'node_modules', '.bin', 'tsc'), check, { cwd: folder, env })
})
