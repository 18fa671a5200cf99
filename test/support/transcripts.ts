/** Transcripts and exports in the forms that hosts write, of a conversation of our own. */

export type Said = { speaker: 'user' | 'assistant'; text: string; at: string }

/** So many turns, alternately of the user and the assistant, a second apart. */
export const conversation = (
  count: number,
  topic = 'the harbour',
  start = '2026-11-20T09:00:00.000Z',
): Said[] =>
  Array.from({ length: count }, (_, at) => ({
    speaker: at % 2 === 0 ? 'user' : 'assistant',
    text: `Turn ${at} about ${topic}`,
    at: new Date(Date.parse(start) + at * 1_000).toISOString(),
  }))

const jsonLines = (events: readonly object[]) => events.map(event => `${JSON.stringify(event)}\n`).join('')

/** With what is no turn: a summary, thoughts, tools, their results, a side chain, and what the host writes itself. */
export function claudeCodeTranscript(said: readonly Said[], sessionId: string, cwd = '/home/ada/checkout') {
  const event = (fields: object, at = said[0]?.at) => ({
    parentUuid: null,
    isSidechain: false,
    userType: 'external',
    cwd,
    sessionId,
    version: '2.1.12',
    gitBranch: 'main',
    uuid: `uuid-${JSON.stringify(fields).length}`,
    timestamp: at,
    ...fields,
  })
  const message = (role: string, content: unknown) => ({ type: role, message: { role, content } })
  return jsonLines([
    { type: 'summary', summary: 'An earlier session', leafUuid: 'leaf' },
    event({ ...message('user', 'A note of the host'), isMeta: true }),
    event(message('user', '<command-name>/clear</command-name>')),
    ...said.flatMap(({ speaker, text, at }) =>
      speaker === 'user'
        ? [event(message('user', text), at)]
        : [
            event(message('assistant', [{ type: 'thinking', thinking: 'Let me think', signature: 's' }]), at),
            event(message('assistant', [{ type: 'text', text }]), at),
            event(message('assistant', [{ type: 'tool_use', id: 't', name: 'Read', input: {} }]), at),
            event(message('user', [{ type: 'tool_result', tool_use_id: 't', content: 'a file' }]), at),
          ],
    ),
    event({ ...message('assistant', [{ type: 'text', text: 'Of another agent' }]), isSidechain: true }),
    event({ ...message('user', 'What was said so far'), isCompactSummary: true }),
  ])
}

export function codexRollout(said: readonly Said[], id: string, cwd = '/home/ada/checkout') {
  const item = (timestamp: string | undefined, payload: object) => ({
    timestamp,
    type: 'response_item',
    payload,
  })
  const message = (role: string, type: string, text: string) => ({
    type: 'message',
    role,
    content: [{ type, text }],
  })
  const start = said[0]?.at
  return jsonLines([
    { timestamp: start, type: 'session_meta', payload: { id, timestamp: start, cwd, cli_version: '0.65.0' } },
    item(start, message('developer', 'input_text', 'Rules of the host')),
    item(start, message('user', 'input_text', '<environment_context>…</environment_context>')),
    { timestamp: start, type: 'turn_context', payload: { cwd, model: 'a-model' } },
    ...said.flatMap(({ speaker, text, at }) => [
      item(at, message(speaker, speaker === 'user' ? 'input_text' : 'output_text', text)),
      { timestamp: at, type: 'event_msg', payload: { type: `${speaker}_message`, message: text } },
      item(at, { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c' }),
    ]),
  ])
}

/** A tree with a branch that was left: a turn that was written again. */
export function chatGptExport(said: readonly Said[], id: string) {
  const node = (at: number, message: object | null) => [
    `node-${at}`,
    { id: `node-${at}`, message, parent: at === 0 ? null : `node-${at - 1}`, children: [`node-${at + 1}`] },
  ]
  const messageOf = ({ speaker, text, at }: Said) => ({
    id: text,
    author: { role: speaker },
    create_time: Date.parse(at) / 1000,
    content: { content_type: 'text', parts: [text] },
    metadata: {},
  })
  const left = { ...messageOf({ speaker: 'user', text: 'A question that was left', at: said[0]?.at ?? '' }) }
  return JSON.stringify([
    {
      title: 'The harbour',
      create_time: Date.parse(said[0]?.at ?? '') / 1000,
      conversation_id: id,
      id,
      mapping: {
        ...Object.fromEntries([node(0, null), ...said.map((each, at) => node(at + 1, messageOf(each)))]),
        left: { id: 'left', message: left, parent: 'node-0', children: [] },
      },
      current_node: `node-${said.length}`,
    },
  ])
}

export const claudeExport = (said: readonly Said[], uuid: string) =>
  JSON.stringify([
    {
      uuid,
      name: 'The harbour',
      created_at: said[0]?.at,
      updated_at: said.at(-1)?.at,
      account: { uuid: 'account' },
      chat_messages: said.map(({ speaker, text, at }, index) => ({
        uuid: `message-${index}`,
        text,
        content: [{ type: 'text', text }],
        sender: speaker === 'user' ? 'human' : 'assistant',
        created_at: at,
        attachments: [],
      })),
    },
  ])

/** Newest first, as “My Activity” is, with an entry that is no prompt. */
export const geminiExport = (said: readonly Said[]) =>
  JSON.stringify([
    {
      header: 'Gemini Apps',
      title: 'Used an Assistant feature',
      time: said[0]?.at,
      products: ['Gemini Apps'],
    },
    ...said
      .filter(({ speaker }) => speaker === 'user')
      .map(({ text, at }) => ({
        header: 'Gemini Apps',
        title: `Prompted ${text}`,
        time: at,
        products: ['Gemini Apps'],
        activityControls: ['Gemini Apps Activity'],
        safeHtmlItem: [{ html: `<p>Answer to &quot;${text}&quot; &amp; more</p>` }],
      }))
      .reverse(),
  ])

/** A session of Claude Code in which the user and the assistant say just this. */
export const claudeCodeEvents = (
  events: readonly { role: string; content: unknown; [field: string]: unknown }[],
) =>
  jsonLines(
    events.map(({ role, content, ...fields }, at) => ({
      type: role,
      message: { role, content },
      sessionId: 'events',
      timestamp: new Date(Date.parse('2026-11-20T09:00:00Z') + at * 1_000).toISOString(),
      ...fields,
    })),
  )

/** A ChatGPT conversation of messages with just these contents. */
export const chatGptMessages = (
  messages: readonly { role: string; content: object; [field: string]: unknown }[],
) =>
  JSON.stringify([
    {
      conversation_id: 'messages',
      mapping: Object.fromEntries(
        messages.map(({ role, content, ...fields }, at) => [
          `node-${at}`,
          {
            message: { author: { role }, create_time: 1_795_000_000 + at, content, ...fields },
            parent: at === 0 ? null : `node-${at - 1}`,
            children: [],
          },
        ]),
      ),
      current_node: `node-${messages.length - 1}`,
    },
  ])

/** A Claude conversation of messages with just these fields. */
export const claudeMessages = (messages: readonly object[]) =>
  JSON.stringify([
    {
      uuid: 'messages',
      chat_messages: messages.map((message, at) => ({
        sender: 'human',
        created_at: new Date(Date.parse('2026-11-20T09:00:00Z') + at * 1_000).toISOString(),
        ...message,
      })),
    },
  ])

/** Entries of “My Activity” in a language. */
export const geminiEntries = (
  entries: readonly { title: string; answer?: string }[],
  header = 'Gemini Apps',
) =>
  JSON.stringify(
    entries.map(({ title, answer }, at) => ({
      header,
      title,
      time: new Date(Date.parse('2026-11-20T09:00:00Z') - at * 60_000).toISOString(),
      products: [header],
      ...(answer !== undefined && { safeHtmlItem: [{ html: answer }] }),
    })),
  )
