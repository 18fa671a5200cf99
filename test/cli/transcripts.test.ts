import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderOf, mnemograph, startMnemograph } from '../support/cli.ts'
import { runInProcess } from '../support/in-process-cli.ts'
import { freshTenant, type TestService, withService } from '../support/service.ts'
import {
  chatGptExport,
  claudeCodeTranscript,
  claudeExport,
  codexRollout,
  conversation,
  geminiExport,
} from '../support/transcripts.ts'

const service = withService()

/** The service in a tenant of its own. */
const apart = (): TestService => ({ ...service, tenant: freshTenant() })

/** The turns of a tenant in their order, as a reader sees them. */
async function turnsOf({ tenant }: TestService) {
  const client = service.clientOf(tenant)
  const all = []
  for (let cursor: string | undefined; ; ) {
    const page = await client.listMemories({ limit: 200, ...(cursor && { cursor }) })
    all.push(...page.memories)
    if (page.next_cursor === null) break
    cursor = page.next_cursor
  }
  return all
    .map(({ id, session_id, speaker, content, valid_from, source, metadata }) => ({
      id,
      session_id,
      speaker,
      content,
      valid_from,
      source,
      metadata,
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

const said = conversation(6)

test.each([
  [
    'claude-code',
    'session.jsonl',
    claudeCodeTranscript(said, 'session-a'),
    'session-a',
    { project: 'checkout' },
  ],
  ['codex', 'rollout.jsonl', codexRollout(said, 'session-b'), 'session-b', { project: 'checkout' }],
  ['chatgpt', 'conversations.json', chatGptExport(said, 'session-c'), 'session-c', {}],
  ['claude', 'conversations.json', claudeExport(said, 'session-d'), 'session-d', {}],
])(
  '%s is loaded turn by turn with session, speaker and time, once',
  async (host, name, text, session, project) => {
    const where = apart()
    const file = join(folderOf({ [name]: text }), name)
    const first = await runInProcess(['ingest', '--transcript', file, '--json'], { service: where })
    expect(JSON.parse(first.out)).toMatchObject({ turns: 6, stored: 6, damaged: [] })
    expect(await turnsOf(where)).toEqual(
      said.map(({ speaker, text: content, at }) => ({
        id: expect.any(String),
        session_id: session,
        speaker,
        content,
        valid_from: at,
        source: host,
        metadata: { host, ...project },
      })),
    )
    const again = await runInProcess(['ingest', '--transcript', file, '--json'], { service: where })
    expect(JSON.parse(again.out)).toMatchObject({ turns: 6, stored: 0 })
  },
)

test('Gemini names no conversations, so a day is a session', async () => {
  const where = apart()
  const folder = folderOf({ 'MyActivity.json': geminiExport(said) })
  const { code } = await runInProcess(['ingest', '--transcript', folder], { service: where })
  expect(code).toBe(0)
  const turns = await turnsOf(where)
  expect(turns.map(({ speaker, content }) => [speaker, content]).slice(0, 2)).toEqual([
    ['user', 'Turn 0 about the harbour'],
    ['assistant', 'Answer to "Turn 0 about the harbour" & more'],
  ])
  expect(new Set(turns.map(({ session_id }) => session_id))).toEqual(new Set(['gemini-2026-11-20']))
})

test('a damaged file says where, and the rest of it is loaded', async () => {
  const where = apart()
  const lines = claudeCodeTranscript(said, 'session-e').split('\n')
  lines.splice(4, 0, '{"type":"user","message":{"ro')
  lines.splice(
    6,
    0,
    JSON.stringify({ type: 'user', sessionId: 'session-e', message: { role: 'user', content: 'When?' } }),
  )
  const exported = JSON.parse(claudeExport(said, 'session-f'))
  delete exported[0].chat_messages[2].created_at
  const folder = folderOf({ 'a.jsonl': lines.join('\n'), 'b.json': JSON.stringify(exported) })
  const { code, out } = await runInProcess(['ingest', '--transcript', folder, '--json'], { service: where })
  expect(code).toBe(65)
  expect(JSON.parse(out)).toMatchObject({
    stored: 11,
    damaged: [
      `${join(folder, 'a.jsonl')}, line 5: not JSON`,
      `${join(folder, 'a.jsonl')}, line 7: no timestamp`,
      `${join(folder, 'b.json')}, entry 1.chat_messages[2]: has no \`created_at\``,
    ],
  })
  const cut = join(folderOf({ 'c.json': `[\n${claudeExport(said, 'g').slice(1, 400)}` }), 'c.json')
  const refused = await runInProcess(['ingest', '--transcript', cut], { service: where })
  expect(refused.err).toContain(`${cut} is not JSON: line 2, column`)
  const other = join(folderOf({ 'd.json': '[{"a": 1}]' }), 'd.json')
  expect((await runInProcess(['ingest', '--transcript', other], { service: where })).err).toContain(
    'is no transcript of Claude Code or Codex',
  )
})

test('2,000 turns that are killed and resumed equal one run', { timeout: 300_000 }, async () => {
  const [killed, whole] = [apart(), apart()]
  const long = conversation(2_000, 'the long talk')
  const file = join(folderOf({ 'long.jsonl': codexRollout(long, 'long') }), 'long.jsonl')
  const words = ['ingest', '--transcript', file]
  const child = startMnemograph(words, { service: killed })
  const ended = once(child, 'close')
  await expect
    .poll(async () => (await service.clientOf(killed.tenant).getStats()).memories.total, { timeout: 120_000 })
    .toBeGreaterThan(0)
  child.kill('SIGKILL')
  await ended
  expect((await mnemograph(words, { service: killed })).code).toBe(0)
  expect((await mnemograph(words, { service: whole })).code).toBe(0)
  const plain = (turns: Awaited<ReturnType<typeof turnsOf>>) =>
    turns
      .map(({ id: _id, ...turn }) => turn)
      .sort((a, b) => String(a.valid_from).localeCompare(String(b.valid_from)))
  const [a, b] = [plain(await turnsOf(killed)), plain(await turnsOf(whole))]
  expect(a).toHaveLength(2_000)
  expect(a).toEqual(b)
})
