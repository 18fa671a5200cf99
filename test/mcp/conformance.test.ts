import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/temporary-folder.ts'
import { startKeyedProxy } from '../support/keyed-proxy.ts'
import { remember } from '../support/seed.ts'
import { OPERATOR_KEY, withService } from '../support/service.ts'

const SUITE = join(
  dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json'))),
  'dist/index.js',
)
const BASELINE = readFileSync(new URL('conformance.yml', import.meta.url), 'utf8')

/** Likewise, but only noted by the suite, and in one revision only. */
const noted: Record<string, string[]> = {
  '2026-07-28': ['input-required-result-missing-input-response', 'input-required-result-ignore-extra-params'],
  '2025-11-25': ['server-sse-polling', 'server-sse-multiple-streams'],
}

const service = withService()
let proxy: Awaited<ReturnType<typeof startKeyedProxy>>
beforeAll(async () => {
  await remember(service.client, ['The cat sleeps'])
  proxy = await startKeyedProxy(service.url, {
    authorization: `Bearer ${OPERATOR_KEY}`,
    'x-tenant-id': service.tenant,
  })
})
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]()
})

/** The scenarios of each revision that do not need the suite's own example server. */
const scenarios = {
  '2026-07-28': [
    'tools-list',
    'resources-list',
    'prompts-list',
    'sep-2164-resource-not-found',
    'caching',
    'dns-rebinding-protection',
    'http-header-validation',
    'server-sse-multiple-streams',
    'input-required-result-unsupported-methods',
    'input-required-result-validate-input',
  ],
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
  ],
  '2025-06-18': ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list'],
}

test.each(Object.entries(scenarios))(
  "the protocol's own suite passes for the revision %s",
  async (revision, names) => {
    const { code, said } = await run(revision)
    const passed = Array.from(said.matchAll(/^✓ ([\w-]+): [1-9]\d* passed/gm), ([, name]) => name)
    expect(code, said.slice(-4_000)).toBe(0)
    expect(passed).toEqual(expect.arrayContaining(names))
  },
)

function run(revision: string): Promise<{ code: number; said: string }> {
  const baseline = join(temporaryFolder(), `conformance-${revision}.yml`)
  writeFileSync(baseline, BASELINE + (noted[revision] ?? []).map(name => `  - ${name}\n`).join(''))
  const words = ['--suite', 'all', '--spec-version', revision, '--expected-failures', baseline]
  return new Promise(resolve => {
    const child = execFile(
      process.execPath,
      [SUITE, 'server', '--url', `${proxy.url}/mcp`, ...words],
      { maxBuffer: 2 ** 26 },
      (_error, out, err) => resolve({ code: child.exitCode ?? -1, said: out + err }),
    )
  })
}
