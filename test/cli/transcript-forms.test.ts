import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderOf } from '../support/cli.ts'
import { runInProcess } from '../support/in-process-cli.ts'
import { freshTenant, withService } from '../support/service.ts'
import {
  chatGptExport,
  chatGptMessages,
  claudeCodeEvents,
  claudeCodeTranscript,
  claudeMessages,
  codexRollout,
  conversation,
  geminiEntries,
} from '../support/transcripts.ts'

const service = withService()

/** What a tenant of its own has after a file was loaded, and what the command left out. */
async function loaded(name: string, bytes: string | Buffer) {
  const tenant = freshTenant()
  const path = join(folderOf({ [name]: '' }), name)
  writeFileSync(path, bytes)
  const { code, out } = await runInProcess(['ingest', '--transcript', path, '--json'], { service, tenant })
  const { memories } = await service.clientOf(tenant).listMemories({ limit: 200 })
  const { damaged } = JSON.parse(out)
  return {
    code,
    turns: memories
      .toSorted((a, b) => String(a.valid_from).localeCompare(String(b.valid_from)))
      .map(({ speaker, content }) => `${speaker}: ${content}`),
    leftOut: damaged.map((line: string) => line.replace(path, name)),
  }
}

const text = (value: string) => ({ type: 'text', text: value })
const user = (content: unknown, fields = {}) => ({ role: 'user', content, ...fields })
const assistant = (content: unknown, fields = {}) => ({ role: 'assistant', content, ...fields })

test.each<[string, ReturnType<typeof user>, string[]]>([
  [
    'a reminder before the prompt',
    user([text('<system-reminder>x</system-reminder>'), text('Hi')]),
    ['user: Hi'],
  ],
  ['a reminder in the same text', user('<system-reminder>\nx\n</system-reminder>\n\nHi'), ['user: Hi']],
  ['a reminder behind it', user('Hi\n<system-reminder>x <b>y</b></system-reminder>'), ['user: Hi']],
  [
    'several blocks',
    user('<ide_selection>a</ide_selection><system-reminder>b</system-reminder>Hi'),
    ['user: Hi'],
  ],
  [
    'a hook before the prompt',
    user('<user-prompt-submit-hook>ok</user-prompt-submit-hook>\nHi'),
    ['user: Hi'],
  ],
  [
    'a question about such a block',
    user('<system-reminder> blocks: what are they?'),
    ['user: <system-reminder> blocks: what are they?'],
  ],
  [
    'the name of a block within a prompt',
    user('Why <system-reminder>this</system-reminder> here?'),
    ['user: Why <system-reminder>this</system-reminder> here?'],
  ],
  ['tags of the person', user('<task>Sort</task> this'), ['user: <task>Sort</task> this']],
  [
    'an answer that shows a block',
    assistant('<system-reminder>x</system-reminder> is a block'),
    ['assistant: <system-reminder>x</system-reminder> is a block'],
  ],
  ['only a reminder', user([text('<system-reminder>x</system-reminder>')]), []],
  ['an interruption', user('[Request interrupted by user]'), []],
  ['an interrupted tool', user([text('[Request interrupted by user for tool use]')]), []],
  [
    'an interruption and a prompt',
    user([text('[Request interrupted by user]'), text('Stop there')]),
    ['user: Stop there'],
  ],
  ['a task that ended', user('<task-notification><task-id>b</task-id></task-notification>'), []],
  ['a shell command', user('<bash-input>ls</bash-input>'), []],
  ['its output', user('<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>'), []],
  [
    'a slash command, name last',
    user('<command-message>x</command-message>\n<command-name>/x</command-name>'),
    [],
  ],
  ['an error of the provider', assistant([text('API Error: 529')], { isApiErrorMessage: true }), []],
  [
    'a message that no model wrote',
    assistant([text('No response requested.')], {
      message: { role: 'assistant', model: '<synthetic>', content: [text('No response requested.')] },
    }),
    [],
  ],
  [
    'a summary of an older version',
    user('This session is being continued from a previous conversation that ran out of context. It …'),
    [],
  ],
])('Claude Code, %s: the part of the person or the assistant alone is a turn', async (_, event, turns) => {
  const other = [assistant('Ready'), event]
  expect(await loaded('session.jsonl', claudeCodeEvents(other))).toEqual({
    code: 0,
    turns: ['assistant: Ready', ...turns],
    leftOut: [],
  })
})

const rollout = (said: string, meta = {}) =>
  [
    { timestamp: '2026-11-20T09:00:00Z', type: 'session_meta', payload: { id: 's', cwd: '/a', ...meta } },
    {
      timestamp: '2026-11-20T09:00:01Z',
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: said }] },
    },
  ]
    .map(line => JSON.stringify(line))
    .join('\n')

const ASKED = '## My request for Codex:\nFix the cart'

test.each<[string, string, string[]]>([
  [
    'the context of an editor',
    rollout(`# Context from my IDE setup:\n\n## Open tabs:\n- a.ts: a.ts\n\n${ASKED}`),
    ['user: Fix the cart'],
  ],
  [
    'named files',
    rollout(`\n# Files mentioned by the user:\n\n## a.png: /a.png\n\n${ASKED}\n`),
    ['user: Fix the cart'],
  ],
  [
    'a request with headings',
    rollout(`# Context from my IDE setup:\n\n${ASKED}\n## Then\nTest it`),
    ['user: Fix the cart\n## Then\nTest it'],
  ],
  [
    'a request that quotes the heading',
    rollout(`# Context from my IDE setup:\n\n${ASKED}\n${ASKED}`),
    [`user: Fix the cart\n${ASKED}`],
  ],
  [
    'a context without a request',
    rollout('# Context from my IDE setup:\n\n## Open tabs:\n- a.ts: a.ts\n\n## My request for Codex:\n'),
    [],
  ],
  [
    'the rules and then a prompt',
    rollout('# AGENTS.md instructions for /a\n\n<INSTRUCTIONS>\nTabs\n</INSTRUCTIONS>\nFix it'),
    ['user: Fix it'],
  ],
  ['a heading of the person', rollout('# Cart\n\nFix it'), ['user: # Cart\n\nFix it']],
  ['an image', rollout('Fix it\n<image name=[Image #1]>\n</image>'), ['user: Fix it']],
  ['an aborted turn', rollout('<turn_aborted>\nx\n</turn_aborted>'), []],
  ['a subagent', rollout('Review the cart', { source: { subagent: { thread_spawn: { depth: 1 } } } }), []],
  ['a reviewer', rollout('Review the cart', { source: { subagent: 'review' } }), []],
  ['a subagent of another spelling', rollout('Review the cart', { source: { subAgent: 'review' } }), []],
  ['a thread of a subagent', rollout('Review the cart', { source: 'cli', thread_source: 'subagent' }), []],
  ['a session without an editor', rollout('Fix it', { source: 'exec' }), ['user: Fix it']],
])('Codex, %s: the request alone is a turn', async (_, lines, turns) => {
  expect(await loaded('rollout.jsonl', lines)).toEqual({ code: 0, turns, leftOut: [] })
})

const spoken = (words: string, direction = 'in') => ({
  content_type: 'audio_transcription',
  text: words,
  direction,
})
const parts = (...all: unknown[]) => ({ content_type: 'text', parts: all })
const several = (...all: unknown[]) => ({ content_type: 'multimodal_text', parts: all })

test.each<[string, object, string[]]>([
  [
    'what was spoken',
    user(several(spoken('Hello'), { content_type: 'audio_asset_pointer' })),
    ['user: Hello'],
  ],
  ['a spoken answer', assistant(several(spoken('Hello', 'out'))), ['assistant: Hello']],
  ['spoken and written', user(several('See', spoken('Hello'))), ['user: See\n\nHello']],
  [
    'a citation',
    assistant(parts('So it is.\ue200cite\ue202turn0search1\ue201 Yes.')),
    ['assistant: So it is. Yes.'],
  ],
  [
    'several citations',
    assistant(
      parts(
        'A\ue200cite\ue202turn0search1\ue202turn0view2\ue201 and B\ue200filecite\ue202turn0file0\ue202L8-L13\ue201.',
      ),
    ),
    ['assistant: A and B.'],
  ],
  [
    'a name in the text',
    assistant(parts('In \ue200entity\ue202["city","Porto","a city"]\ue201.')),
    ['assistant: In Porto.'],
  ],
  [
    'a link in the text',
    assistant(parts('See \ue200url\ue202the page\ue202https://example.org\ue201.')),
    ['assistant: See the page.'],
  ],
  [
    'text that a mark encloses',
    assistant(parts('\ue203It rains\ue204\ue200cite\ue202turn0search1\ue201.')),
    ['assistant: It rains.'],
  ],
  ['a mark that is cut', assistant(parts('It rains.\ue200cite\ue202turn0sea')), ['assistant: It rains.']],
  ['citations of files', assistant(parts('It rains【4:0†weather.pdf】.')), ['assistant: It rains.']],
  [
    'older citations',
    assistant(parts('It rains :contentReference[oaicite:0]{index=0}.')),
    ['assistant: It rains.'],
  ],
  ['brackets of the person', user(parts('What does 【note】 mean?')), ['user: What does 【note】 mean?']],
  ['nothing but a mark', assistant(parts('\ue200navlist\ue202turn0search1\ue201')), []],
  ['a call of a tool', assistant(parts('Ada likes tea'), { recipient: 'bio' }), []],
  ['code for a tool', assistant({ content_type: 'code', text: 'print(1)' }), []],
  ['a picture alone', user(several({ content_type: 'image_asset_pointer', asset_pointer: 'x' })), []],
])('ChatGPT, %s', async (_, message, turns) => {
  const bytes = chatGptMessages([message as ReturnType<typeof user> & { content: object }])
  expect(await loaded('conversations.json', bytes)).toEqual({ code: 0, turns, leftOut: [] })
})

test.each<[string, object, string[]]>([
  [
    'a pasted text alone',
    { text: '', content: [], attachments: [{ extracted_content: 'Pasted' }] },
    ['user: Pasted'],
  ],
  [
    'a text and what was pasted',
    { text: 'See', content: [text('See')], attachments: [{ extracted_content: 'Pasted' }] },
    ['user: See\n\nPasted'],
  ],
  [
    'two attachments',
    { text: '', attachments: [{ extracted_content: 'A' }, { extracted_content: 'B' }] },
    ['user: A\n\nB'],
  ],
  ['an older export', { text: 'See' }, ['user: See']],
  ['an empty part before an older text', { text: 'See', content: [text('')] }, ['user: See']],
  ['a voice note', { text: '', content: [{ type: 'voice_note', text: 'Spoken' }] }, ['user: Spoken']],
  [
    'tools alone',
    { sender: 'assistant', text: 'This block is not supported', content: [{ type: 'tool_use' }] },
    [],
  ],
  ['a picture alone', { text: '', content: [], files: [{ file_name: 'a.png' }] }, []],
])('Claude, %s', async (_, message, turns) => {
  expect(await loaded('conversations.json', claudeMessages([message]))).toEqual({
    code: 0,
    turns,
    leftOut: [],
  })
})

test.each<[string, { title: string; answer?: string }[], string, string[]]>([
  ['German', [{ title: 'Eingegebener Prompt: Wie: so?' }], 'Gemini-Apps', ['user: Wie: so?']],
  ['French', [{ title: 'Prompt saisi : Et quand ?' }], 'Applications Gemini', ['user: Et quand ?']],
  ['Japanese', [{ title: 'プロンプト：いつですか' }], 'Gemini アプリ', ['user: いつですか']],
  [
    'words that are not known, with an answer',
    [{ title: 'Enviado: hola', answer: 'Hola' }],
    'Aplicaciones de Gemini',
    ['user: hola', 'assistant: Hola'],
  ],
  [
    'the same words without an answer',
    [{ title: 'Enviado: adiós' }, { title: 'Enviado: hola', answer: 'Hola' }],
    'Aplicaciones de Gemini',
    ['user: hola', 'assistant: Hola', 'user: adiós'],
  ],
  [
    'words without a colon, with an answer',
    [
      { title: 'Adde om en tid: nu', answer: 'Nu' },
      { title: 'Annat: nej', answer: 'Nej' },
    ],
    'Gemini-appar',
    ['user: Annat: nej', 'assistant: Nej', 'user: Adde om en tid: nu', 'assistant: Nu'],
  ],
  [
    'English',
    [{ title: 'Prompted  Note: buy milk' }, { title: 'Asked Gemini: when?' }, { title: 'Used Gemini Apps' }],
    'Gemini Apps',
    ['user: when?', 'user: Note: buy milk'],
  ],
  [
    'English of before',
    [{ title: 'Said hello', answer: 'Hello' }],
    'Bard',
    ['user: hello', 'assistant: Hello'],
  ],
])('Gemini in %s: the prompt by its place', async (_, entries, header, turns) => {
  expect(await loaded('MyActivity.json', geminiEntries(entries, header))).toEqual({
    code: 0,
    turns,
    leftOut: [],
  })
})

test.each<[string, string, string, string[]]>([
  [
    'Gemini',
    'MyActivity.json',
    geminiEntries([{ title: 'Enviado: hola' }]),
    ['MyActivity.json, entry 1: no prompt can be told from “Enviado: hola”'],
  ],
  [
    'ChatGPT',
    'conversations.json',
    chatGptMessages([{ role: 'user', content: { content_type: 'hologram', parts: [] } }]),
    ['conversations.json, entry 1.mapping, message 0: has the unknown content `hologram`'],
  ],
  [
    'a part of ChatGPT',
    'conversations.json',
    chatGptMessages([{ role: 'user', content: several({ content_type: 'hologram' }) }]),
    ['conversations.json, entry 1.mapping, message 0: has the unknown content `hologram`'],
  ],
  [
    'Claude',
    'conversations.json',
    claudeMessages([{ text: '', content: [{ type: 'hologram' }] }]),
    ['conversations.json, entry 1.chat_messages[0]: has the unknown content `hologram`'],
  ],
])('%s: what is not understood is reported', async (_, name, bytes, leftOut) => {
  expect(await loaded(name, bytes)).toEqual({ code: 65, turns: [], leftOut })
})

const said = conversation(2)
const marked = (value: string, encoding: 'utf8' | 'utf16le') => Buffer.from(`\uFEFF${value}`, encoding)

test.each<[string, string, Buffer]>([
  ['ChatGPT in UTF-8', 'conversations.json', marked(chatGptExport(said, 'a'), 'utf8')],
  ['ChatGPT in UTF-16', 'conversations.json', marked(chatGptExport(said, 'b'), 'utf16le')],
  [
    'ChatGPT in UTF-16, the other way round',
    'conversations.json',
    marked(chatGptExport(said, 'c'), 'utf16le').swap16(),
  ],
  ['Claude Code in UTF-8', 'session.jsonl', marked(claudeCodeTranscript(said, 'd'), 'utf8')],
  [
    'Codex in UTF-16, with the lines of Windows',
    'rollout.jsonl',
    marked(codexRollout(said, 'e').replaceAll('\n', '\r\n'), 'utf16le'),
  ],
])('%s with a byte-order mark is read', async (_, name, bytes) => {
  expect(await loaded(name, bytes)).toEqual({
    code: 0,
    turns: said.map(({ speaker, text: words }) => `${speaker}: ${words}`),
    leftOut: [],
  })
})

test.each<[string, string]>([
  ['a.jsonl', '{"type":"summary","summary":"Before","leafUuid":"x"}\n'],
  ['b.jsonl', '{"type":"file-history-snapshot","messageId":"x","snapshot":{}}\n'],
  ['c.jsonl', '{"type":"queue-operation","operation":"dequeue","sessionId":"x"}\n'],
  ['d.jsonl', ''],
  ['e.json', '[]'],
  ['sessions-index.json', '{"version":1,"entries":[{"sessionId":"x"}]}'],
  ['agent-a1.meta.json', '{"agentType":"Explore"}'],
  ['session_index.jsonl', '{"id":"x","thread_name":"y","updated_at":"2026-11-20T09:00:00Z"}\n'],
  ['history.jsonl', '{"session_id":"x","ts":1,"text":"y"}\n'],
  ['user.json', '{"id":"x","email":"ada@example.org"}'],
  ['message_feedback.json', '[{"id":"x","rating":"thumbs_up"}]'],
  ['model_comparisons.json', '[{"id":"x"}]'],
  ['projects.json', '[{"uuid":"x","docs":[]}]'],
  ['users.json', '[{"uuid":"x"}]'],
  ['memories.json', '[{"conversations_memory":"x"}]'],
  ['MyActivity.json', geminiEntries([{ title: 'Searched for rye' }], 'Search')],
])('%s, which a host or an export leaves beside conversations, is no fault', async (name, bytes) => {
  expect(await loaded(name, bytes)).toEqual({ code: 0, turns: [], leftOut: [] })
})
