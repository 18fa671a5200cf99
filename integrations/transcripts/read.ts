import { basename } from 'node:path'
import { type LeftOutEntry, SourceError } from '../reading/found.ts'
import { isFields, itemsIn, type JsonFields, objectOf } from '../reading/json.ts'
import { readTextFile } from '../reading/text.ts'
import { readClaudeCode, readCodex } from './agents.ts'
import { readChatGpt } from './chatgpt.ts'
import { readClaude } from './claude.ts'
import { isOfGemini, readGemini } from './gemini.ts'
import type { ReadEntries, TranscriptEntry } from './reading.ts'

export type Transcript = NonNullable<ReturnType<typeof readAs>>

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

type Format = {
  readonly host: string
  /** Whether an entry can be of no other format. */
  readonly isEntry: (entry: JsonFields) => boolean
  readonly read: ReadEntries
}

/** Documents with a list of entries. */
const exportFormats: readonly Format[] = [
  { host: 'chatgpt', isEntry: entry => 'mapping' in entry, read: readChatGpt },
  { host: 'claude', isEntry: entry => 'chat_messages' in entry, read: readClaude },
  { host: 'gemini', isEntry: isOfGemini, read: readGemini },
]

/** Files with an entry on each line. */
const transcriptFormats: readonly Format[] = [
  {
    host: 'codex',
    isEntry: ({ type }) => type === 'session_meta' || type === 'response_item',
    read: readCodex,
  },
  { host: 'claude-code', isEntry: entry => CLAUDE_CODE.some(name => name in entry), read: readClaudeCode },
]

/** Of the entries of Claude Code each has at least one of these. */
const CLAUDE_CODE = ['sessionId', 'parentUuid', 'leafUuid', 'snapshot']

function readAs(formats: readonly Format[], entries: readonly TranscriptEntry[]) {
  const format = formats.find(({ isEntry }) => entries.some(({ value }) => isEntry(value)))
  if (!format) return undefined
  const found = format.read(entries)
  return {
    host: format.host,
    turns: found.filter(each => 'text' in each),
    damaged: found.filter(each => 'reason' in each),
  }
}

function readExport(value: unknown): Transcript | undefined {
  const entries = itemsIn(Array.isArray(value) ? value : objectOf(value).conversations)
  return readAs(
    exportFormats,
    entries.map((each, at) => ({ value: objectOf(each), place: `entry ${at + 1}` })),
  )
}

function readLines(text: string): Transcript | undefined {
  const damaged: LeftOutEntry[] = []
  const lines = text.split('\n').flatMap((line, at): TranscriptEntry[] => {
    if (line.trim() === '') return []
    const place = `line ${at + 1}`
    const { value, fault } = tryJson(line)
    if (fault === undefined) return [{ place, value: objectOf(value) }]
    damaged.push({ place, reason: 'not JSON' })
    return []
  })
  const read = readAs(transcriptFormats, lines)
  return read && { ...read, damaged: [...damaged, ...read.damaged] }
}

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
