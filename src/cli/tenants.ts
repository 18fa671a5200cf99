import { callCommand } from './shell/call.ts'
import { type Group, given, numberOf, UsageError, wordsOf } from './shell/command.ts'
import { shortTime, table } from './shell/table.ts'

const list = callCommand({
  summary: 'List the tenants and how much they have (operator key)',
  examples: ['tenants list'],
  options: {
    limit: { value: 'N', short: 'n', describe: 'At most this many (default: 50)' },
    after: { value: 'NAME', describe: 'Only tenants after this name' },
  },
  call({ values, words }) {
    wordsOf(words)
    const input = given({ limit: numberOf(values.limit, '--limit'), after: values.after })
    return (client, options) => client.listTenants(input, options)
  },
  show({ tenants: found, next_after }, terminal) {
    if (found.length === 0) return terminal.note('There are no tenants yet.')
    const rows = found.map(({ tenant, memories, quota, keys, last_write_at }) => [
      tenant,
      String(memories.active),
      String(memories.archived),
      String(quota?.memories ?? '–'),
      String(keys),
      shortTime(last_write_at),
    ])
    terminal.say(table(terminal, ['TENANT', 'ACTIVE', 'ARCHIVED', 'QUOTA', 'KEYS', 'LAST WRITE'], rows))
    if (next_after !== null) terminal.note(`There is more: --after ${next_after}`)
  },
})

const quota = callCommand({
  words: 'NAME',
  summary: 'Set how much a tenant may store (operator key)',
  details: 'Without an option the settings of the service apply to the tenant again.',
  examples: ['tenants quota platform-team --memories 100000'],
  options: {
    memories: { value: 'N', describe: 'At most this many memories, archived ones included' },
    characters: { value: 'N', describe: 'At most this many characters in their contents' },
  },
  call({ values, words }) {
    const [tenant] = wordsOf(words, 'one tenant')
    const most = {
      memories: numberOf(values.memories, '--memories') ?? null,
      characters: numberOf(values.characters, '--characters') ?? null,
    }
    return (client, options) => client.putQuota({ tenant, ...most }, options)
  },
  show: ({ tenant, memories, characters }, { note }) =>
    note(
      `${tenant} may store ${memories ?? 'any number of'} memories with ${characters ?? 'any number of'} characters, if the settings allow it.`,
    ),
})

const erase = callCommand({
  words: 'NAME',
  summary: 'Erase a tenant with everything that it has (operator key)',
  details: 'You cannot undo it. The audit log of the tenant and the receipts of erasures stay.',
  examples: ['tenants erase former-customer --yes'],
  options: { yes: { short: 'y', describe: 'Really erase it' } },
  call({ values, words }) {
    const [tenant] = wordsOf(words, 'one tenant')
    if (!values.yes) throw new UsageError('Nothing was erased. It cannot be undone: repeat with --yes')
    return (client, options) => client.eraseTenant({ tenant }, options)
  },
  show({ id, counts, complete }, { say, note }) {
    say(String(id))
    note(`Erased ${counts.memories} memories and all else that the tenant had.`)
    if (!complete) note('The time for one request was over: run it again for the rest.')
  },
})

export const tenants: Group = {
  summary: 'List the tenants, limit what they store, or erase one',
  actions: { list, quota, erase },
}
