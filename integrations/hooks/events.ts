import type { Client } from '../../src/client.ts'
import { itemsIn, type JsonFields } from '../reading/json.ts'
import { digest, readTextOf } from '../reading/values.ts'
import { readTranscript } from '../transcripts/read.ts'
import { folderName } from '../transcripts/reading.ts'
import { storeTurns } from '../transcripts/store.ts'
import type { HookHost } from './hosts.ts'

const CONTEXT_TOKENS = 2_000
/** The turns that a stop sends; the end of a session sends all. */
const RECENT = 500

type Caller = { readonly client: Client; readonly host: HookHost; readonly signal: AbortSignal }
type Action = (event: JsonFields, caller: Caller) => Promise<object | undefined>

const actions = new Map<unknown, Action>([
  ['SessionStart', begin],
  ['sessionStart', begin],
  ['PreCompact', (event, caller) => storeTranscript(event, Number.POSITIVE_INFINITY, caller)],
  ['SessionEnd', (event, caller) => storeTranscript(event, Number.POSITIVE_INFINITY, caller)],
  ['Stop', (event, caller) => storeTranscript(event, RECENT, caller)],
  ['beforeSubmitPrompt', (event, caller) => storeTurn(event, 'user', event.prompt, caller)],
  ['afterAgentResponse', (event, caller) => storeTurn(event, 'assistant', event.text, caller)],
])

/** Does what an event is for, and returns what the host is to be told. */
export const respond = async (event: JsonFields, caller: Caller): Promise<object | undefined> =>
  actions.get(event.hook_event_name)?.(event, caller)

const projectOf = ({ cwd, workspace_roots }: JsonFields) =>
  folderName(cwd) ?? folderName(itemsIn(workspace_roots)[0])

/** What to know at the start: of this project, and what is pinned anywhere. */
async function begin(event: JsonFields, { client, host, signal }: Caller) {
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

async function storeTranscript(event: JsonFields, most: number, { client, signal }: Caller) {
  const path = readTextOf(event.transcript_path)
  const transcript = path === undefined ? undefined : await readTranscript(path)
  if (transcript) await storeTurns(client, transcript.host, transcript.turns.slice(-most), { signal })
  return undefined
}

/** The event has no time: its generation tells it apart, so that a repeat stores nothing. */
async function storeTurn(event: JsonFields, speaker: string, said: unknown, { client, signal }: Caller) {
  const [session, text, project] = [readTextOf(event.conversation_id), readTextOf(said), projectOf(event)]
  if (session === undefined || text === undefined) return undefined
  const input = {
    session_id: session,
    turns: [{ speaker, text }],
    source: 'cursor',
    metadata: { host: 'cursor', ...(project !== undefined && { project }) },
  }
  const once = digest(JSON.stringify([event.hook_event_name, event.generation_id, input]))
  await client.addTurns(input, { signal, headers: { 'Idempotency-Key': `hook-${once}` } })
  return undefined
}
