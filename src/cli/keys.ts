import { command, given, type Invocation, listOf, UsageError } from './shell/command.ts'
import { connect, connectionOptions } from './shell/connect.ts'
import { shortTime, table } from './shell/table.ts'
import type { Terminal } from './shell/terminal.ts'

const SCOPES = ['read', 'write', 'admin'] as const

const options = {
  name: { value: 'TEXT', describe: 'create: what the key is for' },
  scopes: { value: 'A,B', describe: 'create: of read, write, admin (default: read,write)' },
  expires: { value: 'TIME', describe: 'create: until when, for instance 2027-01-31T00:00:00Z' },
  ...connectionOptions,
}

export const keys = command({
  usage: 'keys create | keys list | keys revoke ID',
  summary: "Make, list and revoke a tenant's keys",
  options,
  run,
})

type Given = Invocation<typeof options>

async function run({ values, words }: Given, terminal: Terminal) {
  const [action, id] = words
  if (action === 'create' && words.length === 1) await create(values, terminal)
  else if (action === 'list' && words.length === 1) await list(values, terminal)
  else if (action === 'revoke' && id && words.length === 2) await revoke(values, id, terminal)
  else throw new UsageError('Say what to do: create, list, or revoke with the id of a key')
  return undefined
}

async function create(values: Given['values'], terminal: Terminal) {
  const scopes = listOf(values.scopes ?? 'read,write').map(name => {
    const scope = SCOPES.find(each => each === name)
    if (!scope) throw new UsageError(`--scopes are of ${SCOPES.join(', ')}`)
    return scope
  })
  const client = await connect(values)
  const made = await client.createKey(
    { scopes, ...given({ name: values.name, expires_at: values.expires }) },
    { signal: terminal.signal },
  )
  if (values.json) return terminal.json(made)
  terminal.note(
    `A key of the tenant ${made.tenant} that may ${made.scopes.join(' and ')}; it is shown this once:`,
  )
  terminal.say(made.key)
}

async function list(values: Given['values'], terminal: Terminal) {
  const client = await connect(values)
  const { keys: found } = await client.listKeys({}, { signal: terminal.signal })
  if (values.json) return terminal.json(found)
  if (found.length === 0) return terminal.note('The tenant has no keys.')
  const rows = found.map(key => [
    key.id,
    key.scopes.join(','),
    shortTime(key.created_at),
    shortTime(key.last_used_at),
    shortTime(key.expires_at),
    key.name ?? '–',
  ])
  terminal.say(table(terminal, ['ID', 'SCOPES', 'CREATED', 'LAST USED', 'EXPIRES', 'NAME'], rows))
}

async function revoke(values: Given['values'], id: string, terminal: Terminal) {
  const client = await connect(values)
  const gone = await client.deleteKey({ id }, { signal: terminal.signal })
  if (values.json) terminal.json(gone)
  else terminal.note(`Revoked ${gone.id}.`)
}
