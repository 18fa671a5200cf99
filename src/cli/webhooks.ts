import type { Input } from '../contract/index.ts'
import { callCommand } from './shell/call.ts'
import { AN_ID, type Group, given, listOf, numberOf, oneOf, wordsOf } from './shell/command.ts'
import { filterOptions, filtersOf } from './shell/filters.ts'
import { shortTime, table } from './shell/table.ts'

type Kinds = Input<'createWebhook'>['kinds']

const add = callCommand({
  words: 'ADDRESS',
  summary: 'Send changes to an address; its secret is printed this once',
  examples: ['webhooks add https://app.example/hooks/memory --kinds created,updated --tags checkout'],
  options: {
    kinds: { value: 'A,B', describe: 'Only changes of these kinds, for instance created,removed' },
    ...filterOptions,
  },
  call({ values, words }) {
    const [url] = wordsOf(words, 'one address')
    const filters = filtersOf(values)
    const input = given({
      kinds: values.kinds === undefined ? undefined : (listOf(values.kinds) as Kinds),
      filters: Object.keys(filters).length > 0 ? filters : undefined,
    })
    return (client, options) => client.createWebhook({ url, ...input }, options)
  },
  show({ id, url, secret }, { note, say }) {
    note(`The webhook ${id} sends changes to ${url}. Its secret is shown this once:`)
    say(secret)
  },
})

const list = callCommand({
  summary: 'List the webhooks of the tenant, and whether they work',
  examples: ['webhooks list'],
  options: {},
  call({ words }) {
    wordsOf(words)
    return async (client, options) => (await client.listWebhooks({}, options)).webhooks
  },
  show(webhooks, terminal) {
    if (webhooks.length === 0) return terminal.note('The tenant has no webhooks.')
    const rows = webhooks.map(webhook => [
      webhook.id,
      String(webhook.waiting),
      shortTime(webhook.delivered_at),
      shortTime(webhook.paused_until),
      webhook.last_error ?? '–',
      webhook.url,
    ])
    const columns = ['ID', 'WAITING', 'DELIVERED', 'RESTS UNTIL', 'LAST ERROR', 'ADDRESS']
    terminal.say(table(terminal, columns, rows))
  },
})

const remove = callCommand({
  words: 'ID',
  summary: 'Stop sending changes to an address',
  examples: [`webhooks remove ${AN_ID}`],
  options: {},
  call({ words }) {
    const [id] = wordsOf(words, 'one webhook by its id')
    return (client, options) => client.deleteWebhook({ id }, options)
  },
  show: ({ id }, { note }) => note(`Removed ${id}.`),
})

const deliveries = callCommand({
  words: 'ID',
  summary: 'List the deliveries of a webhook, newest change first',
  examples: [`webhooks deliveries ${AN_ID} --state failed`],
  options: {
    state: { value: 'STATE', describe: 'Only waiting, delivered or failed ones' },
    limit: { value: 'N', short: 'n', describe: 'At most this many (default: 50)' },
    before: { value: 'ID', describe: 'Only deliveries of earlier changes than this one' },
  },
  call({ values, words }) {
    const [id] = wordsOf(words, 'one webhook by its id')
    const input = given({
      state: oneOf(['waiting', 'delivered', 'failed'] as const, values.state, '--state'),
      limit: numberOf(values.limit, '--limit'),
      before: values.before,
    })
    return (client, options) => client.listDeliveries({ id, ...input }, options)
  },
  show({ deliveries: found, next_before }, terminal) {
    if (found.length === 0) return terminal.note('There are no such deliveries.')
    const rows = found.map(each => [
      each.id,
      each.type,
      each.state,
      String(each.attempts),
      shortTime(each.settled_at ?? each.due_at),
      each.last_error ?? '–',
    ])
    terminal.say(table(terminal, ['ID', 'CHANGE', 'STATE', 'ATTEMPTS', 'WHEN', 'LAST ERROR'], rows))
    if (next_before !== null) terminal.note(`There is more: --before ${next_before}`)
  },
})

const redeliver = callCommand({
  words: 'ID',
  summary: 'Send failed deliveries of a webhook again',
  examples: [`webhooks redeliver ${AN_ID}`],
  options: { delivery: { value: 'ID', describe: 'Only this delivery, in whatever state it is' } },
  call({ values, words }) {
    const [id] = wordsOf(words, 'one webhook by its id')
    return (client, options) => client.redeliver({ id, ...given({ delivery_id: values.delivery }) }, options)
  },
  show: ({ queued }, { note }) => note(`Queued again: ${queued}.`),
})

export const webhooks: Group = {
  summary: 'Send changes to your addresses, and see whether they arrive',
  actions: { add, list, remove, deliveries, redeliver },
}
