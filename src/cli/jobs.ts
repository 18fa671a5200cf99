import type { Output } from '../contract/index.ts'
import { callCommand } from './shell/call.ts'
import { type Group, given, numberOf, type Option, oneOf, UsageError, wordsOf } from './shell/command.ts'
import { shortTime, table } from './shell/table.ts'
import type { Terminal } from './shell/terminal.ts'

const STATES = ['queued', 'waiting', 'running', 'failed', 'done'] as const

const list = callCommand({
  summary: "List the tenant's jobs",
  examples: ['jobs list --state failed'],
  options: {
    state: { value: 'STATE', describe: `Of ${STATES.join(', ')}` },
    kind: { value: 'KIND', describe: 'Those of one kind, for instance discover' },
    memory: { value: 'ID', describe: 'Those of one memory' },
    limit: { value: 'N', short: 'n', describe: 'At most this many (default: 50)' },
  },
  call({ values, words }) {
    wordsOf(words)
    const filter = given({
      state: oneOf(STATES, values.state, '--state'),
      kind: values.kind,
      memory_id: values.memory,
      limit: numberOf(values.limit, '--limit'),
    })
    return (client, options) => client.listJobs(filter, options)
  },
  show: showJobs,
})

function showJobs({ jobs: found, counts, has_more, paused_until }: Output<'listJobs'>, terminal: Terminal) {
  const rows = found.map(job => [
    job.id,
    job.state,
    String(job.attempt),
    shortTime(job.created_at),
    job.last_error ?? job.report ?? '',
  ])
  if (found.length > 0) terminal.say(table(terminal, ['ID', 'STATE', 'TRIES', 'CREATED', 'REPORT'], rows))
  const sums = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  terminal.note(sums.length > 0 ? `In all: ${sums.join(', ')}.` : 'No jobs.')
  if (has_more) terminal.note('There is more; --limit shows it.')
  if (paused_until) terminal.note(`The queue is paused until ${paused_until}; jobs resume ends that.`)
}

const retry = callCommand({
  words: '[ID]',
  summary: 'Queue failed work again',
  examples: ['jobs retry --failed', 'jobs retry --failed --kind fill'],
  options: {
    failed: { describe: 'All that have failed' },
    kind: { value: 'KIND', describe: 'With --failed: those of one kind, for instance discover' },
  },
  call({ values, words: [id, ...more] }) {
    if ((id === undefined) === (values.failed !== true) || more.length > 0)
      throw new UsageError('Name one job, or use --failed for all')
    if (id !== undefined && values.kind !== undefined) throw new UsageError('--kind goes with --failed')
    return async (client, options) =>
      id === undefined
        ? client.retryJobs(given({ kind: values.kind }), options)
        : client.retryJob({ id }, options)
  },
  show: (answer, { note }) =>
    note('retried' in answer ? `Queued ${answer.retried} jobs again.` : `${answer.id} is ${answer.state}.`),
})

const allTenants = {
  describe: "The queue of every tenant; for the operator's key",
} as const satisfies Option

const pause = callCommand({
  summary: 'Pause the queue until a time',
  examples: ['jobs pause --until 2027-01-31T06:00:00Z'],
  options: {
    until: {
      value: 'TIME',
      describe: 'The time at which it ends, for instance 2027-01-31T06:00:00Z; at most 30 days',
    },
    'all-tenants': allTenants,
  },
  call({ values, words }) {
    wordsOf(words)
    const { until } = values
    if (until === undefined) throw new UsageError('--until is required: the time at which the pause ends')
    const all_tenants = values['all-tenants'] ?? false
    return (client, options) => client.pauseQueue({ until, all_tenants }, options)
  },
  show({ paused_until }, { note }, { until, 'all-tenants': areAll }) {
    const whose = areAll ? 'The queue of every tenant' : 'The queue'
    note(`${whose} is paused until ${paused_until ?? until}; jobs resume ends that sooner.`)
  },
})

const resume = callCommand({
  summary: 'End a pause',
  examples: ['jobs resume'],
  options: { 'all-tenants': allTenants },
  call({ values, words }) {
    wordsOf(words)
    const all_tenants = values['all-tenants'] ?? false
    return (client, options) => client.resumeQueue({ all_tenants }, options)
  },
  show({ paused_until }, { note }, { 'all-tenants': areAll }) {
    if (paused_until === null) return note('The queue is running.')
    const other = areAll ? 'the tenant by itself' : 'all tenants are, and --all-tenants ends that'
    note(`The queue is still paused until ${paused_until}: ${other}.`)
  },
})

export const jobs: Group = {
  summary: "See a tenant's queued work, queue failed work again, pause and resume the queue",
  details:
    'A paused queue starts no work. Running jobs finish, and writes continue and queue their work.\nWhat a tenant and all tenants are paused for are two things: each is resumed by itself.',
  actions: { list, retry, pause, resume },
}
