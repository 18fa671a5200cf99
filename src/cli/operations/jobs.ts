import { answering, type CommandGroup, given, UsageError } from '../shell/command.ts'
import { connectClient, connectionOptions } from '../shell/connect.ts'
import { operation } from './operation.ts'

const list = operation('listJobs', {
  examples: ['jobs list --state failed'],
  columns: [
    'id',
    'state',
    { TRIES: 'attempt', CREATED: 'created_at', REPORT: ({ last_error, report }) => last_error ?? report },
  ],
  also({ counts, paused_until }, { note }) {
    const sums = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
    note(sums.length > 0 ? `In all: ${sums.join(', ')}.` : 'No jobs.')
    if (paused_until) note(`The queue is paused until ${paused_until}; jobs resume ends that.`)
  },
})

const retry = answering({
  words: '[ID]',
  summary: 'Queue failed work again',
  examples: ['jobs retry --failed', 'jobs retry --failed --kind fill'],
  options: {
    failed: { describe: 'All that have failed' },
    kind: { value: 'KIND', describe: 'With --failed: those of one kind, for instance discover' },
    ...connectionOptions,
  },
  async answer({ values, words: [id, ...more] }, { signal }) {
    if ((id === undefined) === (values.failed !== true) || more.length > 0)
      throw new UsageError('Name one job, or use --failed for all')
    if (id !== undefined && values.kind !== undefined) throw new UsageError('--kind goes with --failed')
    const client = await connectClient(values)
    return id === undefined
      ? client.retryJobs(given({ kind: values.kind }), { signal })
      : client.retryJob({ id }, { signal })
  },
  show: (answer, { note }) =>
    note('retried' in answer ? `Queued ${answer.retried} jobs again.` : `${answer.id} is ${answer.state}.`),
})

const pause = operation('pauseQueue', {
  details: '--until is required. A pause lasts at most 30 days.',
  examples: ['jobs pause --until 2027-01-31T06:00:00Z'],
  check({ until }) {
    if (until === undefined) throw new UsageError('--until is required: the time at which the pause ends')
  },
  show({ paused_until }, { note }, { until, 'all-tenants': areAll }) {
    const whose = areAll ? 'The queue of every tenant' : 'The queue'
    note(`${whose} is paused until ${paused_until ?? until}; jobs resume ends that sooner.`)
  },
})

const resume = operation('resumeQueue', {
  show({ paused_until }, { note }, { 'all-tenants': areAll }) {
    if (paused_until === null) return note('The queue is running.')
    const other = areAll ? 'the tenant has a pause of its own' : 'all tenants are paused; use --all-tenants'
    note(`The queue is still paused until ${paused_until}: ${other}.`)
  },
})

const rediscover = operation('rediscoverMemories', {
  details: [
    'Use this after you change the threshold for discovery. Discovered connections that are no longer due are removed,',
    'and missing ones are added. Asserted connections stay. jobs list --kind rediscover shows the progress.',
  ].join(' '),
  show({ memories, job_id }, terminal) {
    terminal.say(job_id)
    terminal.note(`Queued the discovery of ${memories} memories.`)
  },
})

export const jobs: CommandGroup = {
  summary: "See a tenant's queued work, queue failed work again, pause and resume the queue",
  details:
    'A paused queue starts no work. Running jobs finish, and writes continue and queue their work.\nThe pause of a tenant and the pause of all tenants are separate: resume each of them.',
  actions: { list, retry, pause, resume, rediscover },
}
