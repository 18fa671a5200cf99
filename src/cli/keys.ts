import { callCommand } from './shell/call.ts'
import { AN_ID, type Group, given, listOf, oneOf, wordsOf } from './shell/command.ts'
import { shortTime, table } from './shell/table.ts'

const SCOPES = ['read', 'write', 'admin'] as const

const create = callCommand({
  summary: 'Make a key; it is printed this once',
  examples: ['keys create --name "the dashboard" --scopes read'],
  options: {
    name: { value: 'TEXT', describe: 'What the key is for' },
    scopes: { value: 'A,B', describe: 'Of read, write, admin (default: read,write)' },
    expires: { value: 'TIME', describe: 'Until when, for instance 2027-01-31T00:00:00Z' },
  },
  call({ values, words }) {
    wordsOf(words)
    const names = listOf(values.scopes ?? 'read,write')
    const scopes = names.flatMap(name => oneOf(SCOPES, name, '--scopes') ?? [])
    const input = { scopes, ...given({ name: values.name, expires_at: values.expires }) }
    return (client, options) => client.createKey(input, options)
  },
  show({ tenant, scopes, key }, { note, say }) {
    note(`A key of the tenant ${tenant} that may ${scopes.join(' and ')}; it is shown this once:`)
    say(key)
  },
})

const list = callCommand({
  summary: 'List the keys of the tenant',
  examples: ['keys list'],
  options: {},
  call({ words }) {
    wordsOf(words)
    return async (client, options) => (await client.listKeys({}, options)).keys
  },
  show(keys, terminal) {
    if (keys.length === 0) return terminal.note('The tenant has no keys.')
    const rows = keys.map(key => [
      key.id,
      key.scopes.join(','),
      shortTime(key.created_at),
      shortTime(key.last_used_at),
      shortTime(key.expires_at),
      key.name ?? '–',
    ])
    terminal.say(table(terminal, ['ID', 'SCOPES', 'CREATED', 'LAST USED', 'EXPIRES', 'NAME'], rows))
  },
})

const revoke = callCommand({
  words: 'ID',
  summary: 'Revoke a key at once',
  examples: [`keys revoke ${AN_ID}`],
  options: {},
  call({ words }) {
    const [id] = wordsOf(words, 'one key by its id')
    return (client, options) => client.deleteKey({ id }, options)
  },
  show: ({ id }, { note }) => note(`Revoked ${id}.`),
})

export const keys: Group = {
  summary: "Make, list and revoke a tenant's keys",
  actions: { create, list, revoke },
}
