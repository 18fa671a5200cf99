import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { respond } from '../../integrations/hooks/events.ts'
import { type HookHost, hookHosts, hostHooks } from '../../integrations/hooks/hosts.ts'
import { HOOK_WORDS, readHostFile, withHooks } from '../../integrations/hooks/settings.ts'
import { objectOf } from '../../integrations/reading/json.ts'
import { writeWhole } from './bundle/write-whole.ts'
import { type CommandGroup, command, type Invocation, oneOf, UsageError, wordsOf } from './shell/command.ts'
import { connectClient, connectionOptions } from './shell/connect.ts'
import { describeFailure } from './shell/failures.ts'
import type { Terminal } from './shell/terminal.ts'

const { json: _, ...connection } = connectionOptions
const options = {
  project: { value: 'FOLDER', describe: 'Only for the project in this folder (default: for all projects)' },
  'dry-run': { describe: 'Show the file as it would be, and change nothing' },
  url: connection.url,
  tenant: connection.tenant,
}

const install = command({
  words: 'HOST',
  summary: `Let an agent's host remember on its own: ${hookHosts.join(', ')}`,
  details: [
    'At the start of a session the host shows its agent what is remembered. Afterwards it stores the turns.',
    'Other hooks in the file stay. No key is written: set SERVICE_MCP_API_KEY where the host runs.',
  ].join('\n'),
  examples: ['hooks install claude-code', 'hooks install cursor --project .'],
  options,
  run: (invocation, terminal) => change(invocation, terminal, true),
})

const uninstall = command({
  words: 'HOST',
  summary: 'Take the hooks out of the file of a host again',
  examples: ['hooks uninstall claude-code'],
  options,
  run: (invocation, terminal) => change(invocation, terminal, false),
})

const run = command({
  words: 'HOST',
  summary: 'What an installed hook runs: reads an event of the host on standard input',
  details: 'It never stops the host: a failure is reported on standard error, and the exit code is 0.',
  examples: ['hooks run claude-code'],
  options: connection,
  run: runHook,
})

export const hooks: CommandGroup = {
  summary: 'Let the hosts of agents remember by themselves',
  actions: { install, uninstall, run },
}

async function change({ values, words }: Invocation<typeof options>, terminal: Terminal, isWanted: boolean) {
  const host = hostOf(words)
  const path = hostHooks[host].file(values.project)
  const before = await readHostFile(path)
  const after = withHooks(host, before, isWanted ? commandOf(host, values) : undefined)
  const settings = `${JSON.stringify(after, null, 2)}\n`
  if (values['dry-run']) {
    terminal.say(settings.trimEnd())
    return undefined
  }
  await mkdir(dirname(path), { recursive: true })
  await writeWhole(path, settings)
  terminal.note(isWanted ? `Installed in ${path}. It applies to new sessions.` : `Taken out of ${path}.`)
  return undefined
}

/** @throws UsageError */
const hostOf = (words: readonly string[]) =>
  oneOf(hookHosts, wordsOf(words, 'the host')[0], 'The host') as HookHost

/** This very program, so that the hook needs no other. */
function commandOf(host: HookHost, { url, tenant }: { url?: string; tenant?: string }): string {
  const words = [
    process.execPath,
    process.argv[1] as string,
    ...HOOK_WORDS,
    host,
    ...(url === undefined ? [] : ['--url', url]),
    ...(tenant === undefined ? [] : ['--tenant', tenant]),
  ]
  return words.map(quoted).join(' ')
}

function quoted(word: string): string {
  if (/^[\w./:@=-]+$/.test(word)) return word
  if (word.includes('"')) throw new UsageError(`${word} cannot stand in a command`)
  return `"${word}"`
}

/** A host waits for its hooks: a service that is away is no reason to wait longer. */
const LONGEST_MS = 20_000

async function runHook({ values, words }: Invocation<typeof connection>, terminal: Terminal) {
  const host = hostOf(words)
  let answer: object | undefined
  try {
    const event = objectOf(JSON.parse(await text(process.stdin)))
    // Before all else: the host must go on whatever happens.
    if (event.hook_event_name === 'beforeSubmitPrompt') answer = { continue: true }
    const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(LONGEST_MS)])
    answer = (await respond(event, { client: await connectClient(values), host, signal })) ?? answer
  } catch (error) {
    terminal.note(`mnemograph: ${describeFailure(error, terminal.signal.aborted).lines.join(' ')}`)
  }
  if (answer) terminal.say(JSON.stringify(answer))
  return undefined
}
