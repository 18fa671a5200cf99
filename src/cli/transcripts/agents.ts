import {
  type Damage,
  type FoundTurn,
  folderName,
  type JsonObject,
  objectFrom,
  textFrom,
  textOfParts,
  timeFrom,
} from './reading.ts'

/** Lines of JSON, and the number of each. */
export type JsonLine = { readonly number: number; readonly value: JsonObject }

/** The transcript of Claude Code: one event a line. Tools, thoughts, side chains and summaries are no turns. */
export function readClaudeCode(lines: readonly JsonLine[]): { turns: FoundTurn[]; damaged: Damage[] } {
  const damaged: Damage[] = []
  const turns = lines.flatMap(({ number, value }): FoundTurn[] => {
    const { type, sessionId, timestamp, cwd, isSidechain, isMeta, isCompactSummary } = value
    if ((type !== 'user' && type !== 'assistant') || isSidechain || isMeta || isCompactSummary) return []
    const { role, content } = objectFrom(value.message)
    const text = textFrom(content) ?? textOfParts(content, ['text'])
    if (text === undefined || FROM_HOST.test(text)) return []
    const [session, time] = [textFrom(sessionId), timeFrom(timestamp)]
    if (session === undefined || time === undefined) {
      damaged.push({ place: `line ${number}`, reason: `no ${session ? 'timestamp' : 'sessionId'}` })
      return []
    }
    return [{ session, speaker: textFrom(role) ?? type, text, time, project: folderName(cwd) }]
  })
  return { turns, damaged }
}

/** The rollout of Codex: a line with the session, then one item a line. */
export function readCodex(lines: readonly JsonLine[]): { turns: FoundTurn[]; damaged: Damage[] } {
  const damaged: Damage[] = []
  const meta = objectFrom(lines.find(({ value }) => value.type === 'session_meta')?.value.payload)
  const session = textFrom(meta.id)
  const project = folderName(meta.cwd)
  const turns = lines.flatMap(({ number, value }): FoundTurn[] => {
    const { type, role, content } = objectFrom(value.payload)
    if (value.type !== 'response_item' || type !== 'message' || (role !== 'user' && role !== 'assistant'))
      return []
    const text = textOfParts(content, ['input_text', 'output_text', 'text'])
    if (text === undefined || FROM_HOST.test(text)) return []
    const time = timeFrom(value.timestamp)
    if (session === undefined || time === undefined) {
      damaged.push({
        place: `line ${number}`,
        reason: session ? 'no timestamp' : 'no session_meta before it',
      })
      return []
    }
    return [{ session, speaker: role, text, time, project }]
  })
  return { turns, damaged }
}

/** What a host writes in the name of the user. */
const FROM_HOST =
  /^\s*<(?:command-|local-command|system-reminder|environment_context|user_instructions|permissions|turn_aborted|INSTRUCTIONS)|^# AGENTS\.md instructions/
