import { commandOfActions } from './shell/actions.ts'
import { given, type Invocation, listOf, oneOf } from './shell/command.ts'
import { connectClient, connectionOptions } from './shell/connect.ts'
import { shortTime, table } from './shell/table.ts'
import type { Terminal } from './shell/terminal.ts'

const SCOPES = ['read', 'write', 'admin'] as const

const options = {
  name: { value: 'TEXT', describe: 'create: what the key is for' },
  scopes: { value: 'A,B', describe: 'create: of read, write, admin (default: read,write)' },
  expires: { value: 'TIME', describe: 'create: until when, for instance 2027-01-31T00:00:00Z' },
  ...connectionOptions,
}

export const keys = commandOfActions({
  name: 'keys',
  summary: "Make, list and revoke a tenant's keys",
  options,
  actions: { create, list, 'revoke ID': revoke },
})

type Values = Invocation<typeof options>['values']

async function create(values: Values, terminal: Terminal) {
  const scopes = listOf(values.scopes ?? 'read,write').flatMap(name => oneOf(SCOPES, name, '--scopes') ?? [])
  const client = await connectClient(values)
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

async function list(values: Values, terminal: Terminal) {
  const client = await connectClient(values)
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

async function revoke(values: Values, terminal: Terminal, id: string) {
  const client = await connectClient(values)
  const gone = await client.deleteKey({ id }, { signal: terminal.signal })
  if (values.json) terminal.json(gone)
  else terminal.note(`Revoked ${gone.id}.`)
}
