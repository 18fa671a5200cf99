import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeWhole } from '../bundle/write-whole.ts'
import { SourceError } from '../importers/found.ts'
import { itemsIn, objectOf } from '../importers/json.ts'
import { readTextFile } from '../importers/text.ts'
import { command, type Invocation, oneOf, UsageError, wordsOf } from '../shell/command.ts'
import { connectionOptions } from '../shell/connect.ts'
import type { Terminal } from '../shell/terminal.ts'
import { type HookHost, hookHosts, hostHooks } from './hosts.ts'

const options = {
  project: { value: 'FOLDER', describe: 'Only for the project in this folder (default: for all projects)' },
  'dry-run': { describe: 'Show the file as it would be, and change nothing' },
  url: connectionOptions.url,
  tenant: connectionOptions.tenant,
}

export const install = command({
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

export const uninstall = command({
  words: 'HOST',
  summary: 'Take the hooks out of the file of a host again',
  examples: ['hooks uninstall claude-code'],
  options,
  run: (invocation, terminal) => change(invocation, terminal, false),
})

async function change({ values, words }: Invocation<typeof options>, terminal: Terminal, isWanted: boolean) {
  const host = hostOf(wordsOf(words, 'the host')[0])
  const path = hostHooks[host].file(values.project)
  const before = await readSettings(path)
  const after = withHooks(host, before, isWanted ? commandOf(host, values) : undefined)
  const text = `${JSON.stringify(after, null, 2)}\n`
  if (values['dry-run']) {
    terminal.say(text.trimEnd())
    return undefined
  }
  await mkdir(dirname(path), { recursive: true })
  await writeWhole(path, text)
  terminal.note(isWanted ? `Installed in ${path}. It applies to new sessions.` : `Taken out of ${path}.`)
  return undefined
}

/** @throws UsageError */
export const hostOf = (name: string): HookHost => oneOf(hookHosts, name, 'The host') as HookHost

/** This very program, so that the hook needs no other. */
function commandOf(host: HookHost, { url, tenant }: { url?: string; tenant?: string }): string {
  const words = [
    process.execPath,
    process.argv[1] as string,
    ...MARK,
    host,
    ...(url === undefined ? [] : ['--url', url]),
    ...(tenant === undefined ? [] : ['--tenant', tenant]),
  ]
  return words.map(quoted).join(' ')
}

const MARK = ['hooks', 'run']

function quoted(word: string): string {
  if (/^[\w./:@=-]+$/.test(word)) return word
  if (word.includes('"')) throw new UsageError(`${word} cannot stand in a command`)
  return `"${word}"`
}

/** The settings of a host with our hooks, or without them; all else in them stays. */
export function withHooks(host: HookHost, settings: object, ours: string | undefined): object {
  const { events, entry, besides = {} } = hostHooks[host]
  const isOurs = (each: unknown) => JSON.stringify(each).includes(`${MARK.join(' ')} ${host}`)
  const before = objectOf(objectOf(settings).hooks)
  const kept = Object.fromEntries(
    Object.entries(before).map(([event, entries]) => [event, itemsIn(entries).filter(each => !isOurs(each))]),
  )
  const added = ours === undefined ? [] : events.map(event => [event, [...(kept[event] ?? []), entry(ours)]])
  const hooks = Object.entries({ ...kept, ...Object.fromEntries(added) }).filter(
    ([event, entries]) => (entries as unknown[]).length > 0 || !events.includes(event),
  )
  return { ...(ours === undefined ? {} : besides), ...settings, hooks: Object.fromEntries(hooks) }
}

/** @throws SourceError if the file is there and no object in JSON: nobody's settings are overwritten */
async function readSettings(path: string): Promise<object> {
  const text = await readTextFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Said below.
  }
  throw new SourceError(`${path} is no object in JSON. Correct it, then install again.`)
}
