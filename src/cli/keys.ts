import { callCommand } from './shell/call.ts'
import { AN_ID, type Group, given, listOf, numberOf, oneOf, wordsOf } from './shell/command.ts'
import { shortTime, table } from './shell/table.ts'

const SCOPES = ['read', 'write', 'delete', 'admin'] as const

const create = callCommand({
  summary: 'Make a key; it is printed this once',
  examples: ['keys create --name "the dashboard" --scopes read'],
  options: {
    name: { value: 'TEXT', describe: 'What the key is for' },
    scopes: { value: 'A,B', describe: 'Of read, write, delete, admin (default: read,write)' },
    'other-tenants': { value: 'A,B', describe: 'Further tenants that it may act in (operator key)' },
    'rate-limit': { value: 'N', describe: 'Requests per minute that it may make (operator key)' },
    expires: { value: 'TIME', describe: 'Until when, for instance 2027-01-31T00:00:00Z' },
  },
  call({ values, words }) {
    wordsOf(words)
    const names = listOf(values.scopes ?? 'read,write')
    const scopes = names.flatMap(name => oneOf(SCOPES, name, '--scopes') ?? [])
    const input = {
      scopes,
      ...given({
        name: values.name,
        expires_at: values.expires,
        other_tenants: values['other-tenants'] === undefined ? undefined : listOf(values['other-tenants']),
        rate_limit: numberOf(values['rate-limit'], '--rate-limit'),
      }),
    }
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

const rotate = callCommand({
  words: 'ID',
  summary: 'Replace a key by a new one; both are valid for a day',
  examples: [`keys rotate ${AN_ID}`, `keys rotate ${AN_ID} --overlap 3600`],
  options: {
    overlap: { value: 'SECONDS', describe: 'How long the old key stays valid (default: 86400)' },
  },
  call({ values, words }) {
    const [id] = wordsOf(words, 'one key by its id')
    const input = given({ overlap_seconds: numberOf(values.overlap, '--overlap') })
    return (client, options) => client.rotateKey({ id, ...input }, options)
  },
  show({ key }, { note, say }) {
    note('The new key; it is shown this once:')
    say(key)
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
  summary: "Make, list, rotate and revoke a tenant's keys",
  actions: { create, list, rotate, revoke },
}
