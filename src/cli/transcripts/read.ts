import { readFile } from 'node:fs/promises'
import { SourceError } from '../importers/found.ts'
import { type JsonLine, readClaudeCode, readCodex } from './agents.ts'
import { readChatGpt, readClaude, readGemini } from './exports.ts'
import { type Damage, type JsonObject, listFrom, objectFrom, type Transcript } from './reading.ts'

/** Reads a transcript or an export, whichever it is. @throws SourceError if it is neither, or not JSON */
export async function readTranscript(path: string): Promise<Transcript> {
  const text = await readFile(path, 'utf8')
  const whole = tryJson(text)
  if (Array.isArray(whole.value)) return readExport(path, whole.value)
  const conversations = listFrom(objectFrom(whole.value).conversations)
  if (conversations.length > 0) return readExport(path, conversations)
  // The beginning of an export is no line of a transcript.
  if (/^\s*\[/.test(text)) throw new SourceError(`${path} is not JSON: ${placeOf(text, whole.fault ?? '')}`)
  return readLines(path, text)
}

function readExport(path: string, entries: readonly unknown[]): Transcript {
  const has = (test: (entry: JsonObject) => boolean) => entries.map(objectFrom).some(test)
  if (has(entry => 'mapping' in entry)) return { host: 'chatgpt', ...readChatGpt(entries) }
  if (has(entry => 'chat_messages' in entry)) return { host: 'claude', ...readClaude(entries) }
  if (has(({ header, products }) => /Gemini|Bard/.test(`${String(header)} ${listFrom(products).join(' ')}`)))
    return { host: 'gemini', ...readGemini(entries) }
  throw unknownForm(path)
}

function readLines(path: string, text: string): Transcript {
  const damaged: Damage[] = []
  const lines = text.split('\n').flatMap((line, at): JsonLine[] => {
    if (line.trim() === '') return []
    const { value, fault } = tryJson(line)
    if (fault === undefined) return [{ number: at + 1, value: objectFrom(value) }]
    damaged.push({ place: `line ${at + 1}`, reason: 'not JSON' })
    return []
  })
  const isCodex = lines.some(({ value }) => value.type === 'session_meta' || value.type === 'response_item')
  const isClaudeCode = lines.some(({ value }) => 'sessionId' in value || 'parentUuid' in value)
  if (!isCodex && !isClaudeCode) throw unknownForm(path)
  const found = isCodex ? readCodex(lines) : readClaudeCode(lines)
  return {
    host: isCodex ? 'codex' : 'claude-code',
    turns: found.turns,
    damaged: [...damaged, ...found.damaged],
  }
}

const unknownForm = (path: string) =>
  new SourceError(
    `${path} is no transcript of Claude Code or Codex, and no export of ChatGPT, Claude or Gemini.`,
  )

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
