import { type JsonFields, objectOf } from '../reading/json.ts'
import { readTextOf, readTime } from '../reading/values.ts'
import { personsPart } from './persons-part.ts'
import { folderName, isUserOrAssistant, joined, type ReadEntries, textsOfParts } from './reading.ts'

/** Entries of Claude Code that nobody said: of other agents, of the host, of a provider that failed. */
const NOT_SAID = [
  'isSidechain',
  'isMeta',
  'isCompactSummary',
  'isVisibleInTranscriptOnly',
  'isApiErrorMessage',
]

/** The transcript of Claude Code: one event a line. Tools, thoughts, side chains and summaries are no turns. */
export const readClaudeCode: ReadEntries = lines =>
  lines.flatMap(({ value: { type, sessionId, timestamp: time, cwd, message, ...flags }, place }) => {
    const { role, content, model } = objectOf(message)
    if (!isUserOrAssistant(type) || model === '<synthetic>' || NOT_SAID.some(name => flags[name])) return []
    const [session, speaker] = [readTextOf(sessionId), readTextOf(role) ?? type]
    return turnAt(place, { session, speaker, content, time, cwd }, 'no sessionId')
  })

/** The rollout of Codex: a line with the session, then one item a line. That of a subagent has no turns. */
export const readCodex: ReadEntries = lines => {
  const meta = objectOf(lines.find(({ value }) => value.type === 'session_meta')?.value.payload)
  const source = objectOf(meta.source)
  if ('subagent' in source || 'subAgent' in source || meta.thread_source === 'subagent') return []
  const [session, cwd] = [readTextOf(meta.id), meta.cwd]
  return lines.flatMap(({ value: { type: kind, timestamp: time, payload }, place }) => {
    const { type, role, content } = objectOf(payload)
    if (kind !== 'response_item' || type !== 'message' || !isUserOrAssistant(role)) return []
    return turnAt(place, { session, speaker: role, content, time, cwd }, 'no session_meta before it')
  })
}

type Message = JsonFields & { readonly session: string | undefined; readonly speaker: string }

/** A turn, or why it cannot be one; nothing if nothing is said. */
function turnAt(
  place: string,
  { session, speaker, content, time, cwd }: Message,
  noSession: string,
): ReturnType<ReadEntries> {
  const text = saidIn(content, speaker)
  const at = readTime(time)
  if (text === undefined) return []
  if (session === undefined || at === undefined)
    return [{ place, reason: session === undefined ? noSession : 'no timestamp' }]
  return [{ session, speaker, text, time: at, project: folderName(cwd) }]
}

function saidIn(content: unknown, speaker: string): string | undefined {
  const texts = Array.isArray(content)
    ? textsOfParts(content, ['text', 'input_text', 'output_text'])
    : [readTextOf(content) ?? '']
  return joined(speaker === 'user' ? texts.map(personsPart) : texts)
}
