import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { withHooks } from '../../integrations/hooks/settings.ts'
import { folderOf, mnemograph, startMnemograph } from '../support/cli.ts'
import { freshTenant, type TestService, withService } from '../support/service.ts'
import { claudeCodeTranscript, codexRollout, conversation } from '../support/transcripts.ts'

const service = withService()
const apart = (): TestService => ({ ...service, tenant: freshTenant() })

/** What a host does at an event: it runs the hook, writes the event to it, and reads what it answers. */
async function event(where: TestService, host: string, name: string, fields: object) {
  const input = JSON.stringify({ hook_event_name: name, ...fields })
  const { code, out } = await mnemograph(['hooks', 'run', host], { service: where, input })
  expect(code).toBe(0)
  return out.trim() === '' ? undefined : JSON.parse(out)
}

const contentsOf = async ({ tenant }: TestService) =>
  (await service.clientOf(tenant).listMemories({ limit: 200 })).memories.map(({ content }) => content)

test.each([
  ['claude-code', claudeCodeTranscript],
  ['codex', codexRollout],
] as const)(
  '%s starts, works, is compacted, stops, and starts again with what it learned',
  async (host, transcriptOf) => {
    const where = apart()
    const cwd = '/home/ada/checkout'
    const path = join(folderOf({ 'transcript.jsonl': '' }), 'transcript.jsonl')
    const all = { session_id: 'first', transcript_path: path, cwd }
    const said = conversation(6, 'the green load test')
    expect(await event(where, host, 'SessionStart', { ...all, source: 'startup' })).toBeUndefined()
    writeFileSync(path, transcriptOf(said.slice(0, 2), 'first', cwd))
    expect(await event(where, host, 'Stop', { ...all, stop_hook_active: false })).toBeUndefined()
    writeFileSync(path, transcriptOf(said.slice(0, 4), 'first', cwd))
    await event(where, host, 'PreCompact', { ...all, trigger: 'auto' })
    writeFileSync(path, transcriptOf(said, 'first', cwd))
    await event(where, host, 'Stop', all)
    await event(where, host, 'SessionEnd', { ...all, reason: 'exit' })
    expect((await contentsOf(where)).toSorted()).toEqual(said.map(({ text }) => text).toSorted())
    const begun = await event(where, host, 'SessionStart', {
      ...all,
      session_id: 'second',
      source: 'startup',
    })
    expect(begun).toEqual({
      hookSpecificOutput: {
        hookEventName: 'SessionStart',
        additionalContext: expect.stringContaining('the green load test'),
      },
    })
    const elsewhere = await event(where, host, 'SessionStart', { ...all, cwd: '/home/ada/other' })
    expect(elsewhere).toBeUndefined()
  },
)

test('Cursor stores each prompt and each answer, and begins with what is known', async () => {
  const where = apart()
  const base = { conversation_id: 'c1', generation_id: 'g1', workspace_roots: ['/home/ada/checkout'] }
  const prompt = { ...base, prompt: 'Deploys need a green load test' }
  expect(await event(where, 'cursor', 'sessionStart', base)).toBeUndefined()
  expect(await event(where, 'cursor', 'beforeSubmitPrompt', prompt)).toEqual({ continue: true })
  expect(await event(where, 'cursor', 'beforeSubmitPrompt', prompt)).toEqual({ continue: true })
  await event(where, 'cursor', 'afterAgentResponse', { ...base, text: 'Noted.' })
  expect((await contentsOf(where)).toSorted()).toEqual(['Deploys need a green load test', 'Noted.'])
  const begun = await event(where, 'cursor', 'sessionStart', { ...base, conversation_id: 'c2' })
  expect(begun).toEqual({ additional_context: expect.stringContaining('green load test') })
})

test('nothing is stored twice after a crash of the hook', async () => {
  const where = apart()
  const said = conversation(120, 'the crash')
  const path = join(folderOf({ 'transcript.jsonl': claudeCodeTranscript(said, 'crash') }), 'transcript.jsonl')
  const input = JSON.stringify({ hook_event_name: 'Stop', session_id: 'crash', transcript_path: path })
  const child = startMnemograph(['hooks', 'run', 'claude-code'], { service: where, input })
  const ended = once(child, 'close')
  child.stdin?.end(input)
  await expect
    .poll(async () => (await service.clientOf(where.tenant).getStats()).memories.total, { timeout: 60_000 })
    .toBeGreaterThan(0)
  child.kill('SIGKILL')
  await ended
  await event(where, 'claude-code', 'SessionEnd', { transcript_path: path })
  await event(where, 'claude-code', 'SessionEnd', { transcript_path: path })
  expect((await contentsOf(where)).toSorted()).toEqual(said.map(({ text }) => text).toSorted())
})

test('a hook never stops its host: a service that is away, an unknown event and no JSON are reported', async () => {
  const away = { ...service, url: 'http://127.0.0.1:1' } as TestService
  const input = JSON.stringify({
    hook_event_name: 'beforeSubmitPrompt',
    conversation_id: 'c',
    prompt: 'Hello',
  })
  const failed = await mnemograph(['hooks', 'run', 'cursor'], { service: away, input })
  expect([failed.code, JSON.parse(failed.out)]).toEqual([0, { continue: true }])
  expect(failed.err).toContain('mnemograph:')
  expect(await event(apart(), 'codex', 'PostToolUse', {})).toBeUndefined()
  expect(await mnemograph(['hooks', 'run', 'codex'], { service, input: 'no JSON' })).toMatchObject({
    code: 0,
    out: '',
  })
})

test('installing adds the hooks to what the host has, once, and uninstalling takes them out', async () => {
  const own = { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }] }, model: 'opus' }
  const folder = folderOf({ '.claude/settings.json': JSON.stringify(own) })
  const file = join(folder, '.claude', 'settings.json')
  const settings = () => JSON.parse(readFileSync(file, 'utf8'))
  for (const _ of [1, 2])
    expect((await mnemograph(['hooks', 'install', 'claude-code', '--project', folder])).code).toBe(0)
  const { hooks, model } = settings()
  expect(model).toBe('opus')
  expect(Object.keys(hooks).toSorted()).toEqual(['PreCompact', 'SessionEnd', 'SessionStart', 'Stop'])
  expect(hooks.Stop).toHaveLength(2)
  expect(hooks.SessionStart).toEqual([
    { hooks: [{ type: 'command', command: expect.stringContaining('hooks run claude-code'), timeout: 30 }] },
  ])
  await mnemograph(['hooks', 'uninstall', 'claude-code', '--project', folder])
  expect(settings()).toEqual(own)
})

test('a settings file with a byte-order mark, as PowerShell writes it, keeps what it has', async () => {
  const folder = folderOf({ '.claude/settings.json': '\uFEFF{"model":"opus"}' })
  const file = join(folder, '.claude', 'settings.json')
  expect((await mnemograph(['hooks', 'install', 'claude-code', '--project', folder])).code).toBe(0)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ model: 'opus', hooks: { Stop: [{}] } })
})

test('a session without a turn yet stores nothing, and reports no fault', async () => {
  const where = apart()
  const line = '{"type":"file-history-snapshot","messageId":"m","snapshot":{}}\n'
  const path = join(folderOf({ 'new.jsonl': line }), 'new.jsonl')
  const input = JSON.stringify({ hook_event_name: 'Stop', session_id: 'new', transcript_path: path })
  const ran = await mnemograph(['hooks', 'run', 'claude-code'], { service: where, input })
  expect(ran).toEqual({ code: 0, out: '', err: '' })
  expect(await contentsOf(where)).toEqual([])
})

test('each host gets the form that it documents, and a file that is no JSON stays as it is', async () => {
  expect(withHooks('cursor', {}, 'x')).toMatchObject({
    version: 1,
    hooks: { beforeSubmitPrompt: [{ command: 'x', timeout: 30 }] },
  })
  expect(withHooks('codex', {}, 'x')).toMatchObject({
    hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'x' }] }] },
  })
  const folder = folderOf({ '.codex/hooks.json': '{ broken' })
  const { code, err } = await mnemograph(['hooks', 'install', 'codex', '--project', folder])
  expect(code).not.toBe(0)
  expect(err).toContain('is no object in JSON')
  expect(readFileSync(join(folder, '.codex/hooks.json'), 'utf8')).toBe('{ broken')
})

test('the plug-in for Claude Code runs the same hooks', () => {
  const path = new URL('../../integrations/claude-code/hooks/hooks.json', import.meta.url)
  const { hooks } = JSON.parse(readFileSync(fileURLToPath(path), 'utf8'))
  expect({ hooks }).toEqual(withHooks('claude-code', {}, 'npx -y mnemograph hooks run claude-code'))
})
