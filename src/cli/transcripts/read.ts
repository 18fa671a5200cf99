import { basename } from 'node:path'
import { SourceError } from '../importers/found.ts'
import { isFields, itemsIn, type JsonFields, objectOf } from '../importers/json.ts'
import { readTextFile } from '../importers/text.ts'
import { type JsonLine, readClaudeCode, readCodex } from './agents.ts'
import { readChatGpt } from './chatgpt.ts'
import { readClaude } from './claude.ts'
import { isOfGemini, readGemini } from './gemini.ts'
import type { Damage, Transcript } from './reading.ts'

/**
 * Reads a transcript or an export, whichever it is; undefined for what a host or an export keeps beside them.
 * @throws SourceError if it is none of these
 */
export async function readTranscript(path: string): Promise<Transcript | undefined> {
  const text = await readTextFile(path)
  const { value, fault } = tryJson(text)
  const read = readExport(value) ?? readLines(text)
  if (read || text.trim() === '' || isKeptBeside(path, value)) return read
  // The beginning of an export is no line of a transcript.
  throw new SourceError(
    fault !== undefined && /^\s*\[/.test(text)
      ? `${path} is not JSON: ${placeOf(text, fault)}.`
      : `${path} is no transcript of Claude Code or Codex, and no export of ChatGPT, Claude or Gemini.`,
  )
}

function readExport(value: unknown): Transcript | undefined {
  const entries = itemsIn(Array.isArray(value) ? value : objectOf(value).conversations)
  const has = (test: (entry: JsonFields) => boolean) => entries.map(objectOf).some(test)
  if (has(entry => 'mapping' in entry)) return { host: 'chatgpt', ...readChatGpt(entries) }
  if (has(entry => 'chat_messages' in entry)) return { host: 'claude', ...readClaude(entries) }
  return has(isOfGemini) ? { host: 'gemini', ...readGemini(entries) } : undefined
}

function readLines(text: string): Transcript | undefined {
  const damaged: Damage[] = []
  const lines = text.split('\n').flatMap((line, at): JsonLine[] => {
    if (line.trim() === '') return []
    const { value, fault } = tryJson(line)
    if (fault === undefined) return [{ number: at + 1, value: objectOf(value) }]
    damaged.push({ place: `line ${at + 1}`, reason: 'not JSON' })
    return []
  })
  const isCodex = lines.some(({ value }) => value.type === 'session_meta' || value.type === 'response_item')
  const isClaudeCode = lines.some(({ value }) => CLAUDE_CODE.some(name => name in value))
  if (!isCodex && !isClaudeCode) return undefined
  const found = isCodex ? readCodex(lines) : readClaudeCode(lines)
  return {
    host: isCodex ? 'codex' : 'claude-code',
    turns: found.turns,
    damaged: [...damaged, ...found.damaged],
  }
}

/** Of its entries each has at least one of these. */
const CLAUDE_CODE = ['sessionId', 'parentUuid', 'leafUuid', 'snapshot']

const NAMES =
  /^(?:sessions-index|.+\.meta|users?|user_settings|message_feedback|model_comparisons|shared_conversations|group_chats|shopping|sora|library_files|conversation_asset_file_names|export_manifest|projects|memories)\.json$|^(?:history|session_index)\.jsonl$/

/** Files of these names, an empty list, and the activity in other products of Google. */
const isKeptBeside = (path: string, value: unknown) =>
  NAMES.test(basename(path)) ||
  (Array.isArray(value) && value.every(entry => isFields(entry) && 'products' in entry && 'time' in entry))

function tryJson(text: string): { value?: unknown; fault?: string } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { fault: (error as Error).message }
  }
}

/** Line and column of the position that a message of the parser names, or of the end of the text. */
function placeOf(text: string, message: string): string {
  const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length)
  const before = text.slice(0, position).split('\n')
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}
