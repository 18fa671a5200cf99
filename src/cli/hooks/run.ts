import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { Client } from '../../client.ts'
import { itemsIn, type JsonFields, objectOf } from '../importers/json.ts'
import { readTextOf } from '../importers/values.ts'
import { command, type Invocation, wordsOf } from '../shell/command.ts'
import { connectClient, connectionOptions } from '../shell/connect.ts'
import { describeFailure } from '../shell/failures.ts'
import type { Terminal } from '../shell/terminal.ts'
import { readTranscript } from '../transcripts/read.ts'
import { folderName } from '../transcripts/reading.ts'
import { storeTurns } from '../transcripts/store.ts'
import type { HookHost } from './hosts.ts'
import { hostOf } from './install.ts'

const options = {
  url: connectionOptions.url,
  'api-key': connectionOptions['api-key'],
  tenant: connectionOptions.tenant,
}

/** A host waits for its hooks: a service that is away is no reason to wait longer. */
const LONGEST_MS = 20_000
const CONTEXT_TOKENS = 2_000
/** The turns that a stop sends; the end of a session sends all. */
const RECENT = 500

export const run = command({
  words: 'HOST',
  summary: 'What an installed hook runs: reads an event of the host on standard input',
  details: 'It never stops the host: a failure is reported on standard error, and the exit code is 0.',
  examples: ['hooks run claude-code'],
  options,
  run: runHook,
})

async function runHook({ values, words }: Invocation<typeof options>, terminal: Terminal) {
  const host = hostOf(wordsOf(words, 'the host')[0])
  let answer: object | undefined
  try {
    const event = objectOf(JSON.parse(await text(process.stdin)))
    // Before all else: the host must go on whatever happens.
    if (event.hook_event_name === 'beforeSubmitPrompt') answer = { continue: true }
    const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(LONGEST_MS)])
    answer = (await respond(await connectClient(values), host, event, signal)) ?? answer
  } catch (error) {
    terminal.note(`mnemograph: ${describeFailure(error, terminal.signal.aborted).lines.join(' ')}`)
  }
  if (answer) terminal.say(JSON.stringify(answer))
  return undefined
}

/** Does what an event is for, and returns what the host is to be told. */
async function respond(client: Client, host: HookHost, event: JsonFields, signal: AbortSignal) {
  switch (String(event.hook_event_name)) {
    case 'SessionStart':
    case 'sessionStart':
      return begin(client, host, event, signal)
    case 'PreCompact':
    case 'SessionEnd':
      await storeTranscript(client, event, Number.POSITIVE_INFINITY, signal)
      return undefined
    case 'Stop':
      await storeTranscript(client, event, RECENT, signal)
      return undefined
    case 'beforeSubmitPrompt':
      await storeTurn(client, event, { speaker: 'user', text: readTextOf(event.prompt) }, signal)
      return undefined
    case 'afterAgentResponse':
      await storeTurn(client, event, { speaker: 'assistant', text: readTextOf(event.text) }, signal)
      return undefined
  }
  return undefined
}

const projectOf = ({ cwd, workspace_roots }: JsonFields) =>
  folderName(cwd) ?? folderName(itemsIn(workspace_roots)[0])

/** What to know at the start: of this project, and what is pinned anywhere. */
async function begin(client: Client, host: HookHost, event: JsonFields, signal: AbortSignal) {
  const project = projectOf(event)
  const filters = project === undefined ? {} : { any: [{ metadata: { project } }, { policy: 'pinned' }] }
  const { text: known, sources } = await client.composeContext(
    { max_tokens: CONTEXT_TOKENS, ...filters },
    { signal },
  )
  if (sources.length === 0) return undefined
  return host === 'cursor'
    ? { additional_context: known }
    : { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: known } }
}

async function storeTranscript(client: Client, event: JsonFields, most: number, signal: AbortSignal) {
  const path = readTextOf(event.transcript_path)
  if (path === undefined) return
  const transcript = await readTranscript(path)
  if (transcript) await storeTurns(client, transcript.host, transcript.turns.slice(-most), { signal })
}

/** The event has no time: its generation tells it apart, so that a repeat stores nothing. */
async function storeTurn(
  client: Client,
  event: JsonFields,
  { speaker, text: said }: { speaker: string; text: string | undefined },
  signal: AbortSignal,
) {
  const session = readTextOf(event.conversation_id)
  if (session === undefined || said === undefined) return
  const project = projectOf(event)
  const input = {
    session_id: session,
    turns: [{ speaker, text: said }],
    source: 'cursor',
    metadata: { host: 'cursor', ...(project !== undefined && { project }) },
  }
  const once = createHash('sha256')
    .update(JSON.stringify([event.hook_event_name, event.generation_id, input]))
    .digest('hex')
  await client.addTurns(input, { signal, headers: { 'Idempotency-Key': `hook-${once}` } })
}
