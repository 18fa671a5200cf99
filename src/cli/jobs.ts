import { commandOfActions } from './shell/actions.ts'
import { given, type Invocation, numberOf, oneOf, UsageError } from './shell/command.ts'
import { connectClient, connectionOptions } from './shell/connect.ts'
import { shortTime, table } from './shell/table.ts'
import type { Terminal } from './shell/terminal.ts'

const STATES = ['queued', 'waiting', 'running', 'failed', 'done'] as const

const options = {
  state: { value: 'STATE', describe: `list: of ${STATES.join(', ')}` },
  kind: { value: 'KIND', describe: 'list, retry --failed: those of one kind, for instance discover' },
  memory: { value: 'ID', describe: 'list: those of one memory' },
  limit: { value: 'N', describe: 'list: at most this many (default: 50)' },
  failed: { describe: 'retry: all that have failed' },
  until: {
    value: 'TIME',
    describe: 'pause: the time at which it ends, for instance 2027-01-31T06:00:00Z; at most 30 days',
  },
  'all-tenants': { describe: "pause, resume: the queue of every tenant; for the operator's key" },
  ...connectionOptions,
}

export const jobs = commandOfActions({
  name: 'jobs',
  summary: "See a tenant's queued work, queue failed work again, pause and resume the queue",
  details:
    'A paused queue starts no work. Running jobs finish, and writes continue and queue their work.\nWhat a tenant and all tenants are paused for are two things: each is resumed by itself.',
  options,
  actions: { list, 'retry [ID]': retry, pause, resume },
})

type Values = Invocation<typeof options>['values']

async function list(values: Values, terminal: Terminal) {
  const filter = given({
    state: oneOf(STATES, values.state, '--state'),
    kind: values.kind,
    memory_id: values.memory,
    limit: numberOf(values.limit, '--limit'),
  })
  const client = await connectClient(values)
  const answer = await client.listJobs(filter, { signal: terminal.signal })
  if (values.json) return terminal.json(answer)
  const { jobs: found, counts, has_more, paused_until } = answer
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

async function retry(values: Values, terminal: Terminal, id: string) {
  if ((id === '') === (values.failed !== true)) throw new UsageError('Name one job, or use --failed for all')
  if (id !== '' && values.kind !== undefined) throw new UsageError('--kind goes with --failed')
  const client = await connectClient(values)
  if (id === '') {
    const answer = await client.retryJobs(given({ kind: values.kind }), { signal: terminal.signal })
    return values.json ? terminal.json(answer) : terminal.note(`Queued ${answer.retried} jobs again.`)
  }
  const job = await client.retryJob({ id }, { signal: terminal.signal })
  if (values.json) terminal.json(job)
  else terminal.note(`${job.id} is ${job.state}.`)
}

async function pause(values: Values, terminal: Terminal) {
  const { until } = values
  if (until === undefined) throw new UsageError('--until is required: the time at which the pause ends')
  const client = await connectClient(values)
  const all_tenants = values['all-tenants'] ?? false
  const answer = await client.pauseQueue({ until, all_tenants }, { signal: terminal.signal })
  if (values.json) return terminal.json(answer)
  const whose = all_tenants ? 'The queue of every tenant' : 'The queue'
  terminal.note(`${whose} is paused until ${answer.paused_until ?? until}; jobs resume ends that sooner.`)
}

async function resume(values: Values, terminal: Terminal) {
  const client = await connectClient(values)
  const all_tenants = values['all-tenants'] ?? false
  const answer = await client.resumeQueue({ all_tenants }, { signal: terminal.signal })
  if (values.json) return terminal.json(answer)
  const { paused_until } = answer
  if (paused_until === null) return terminal.note('The queue is running.')
  const other = all_tenants ? 'the tenant by itself' : 'all tenants are, and --all-tenants ends that'
  terminal.note(`The queue is still paused until ${paused_until}: ${other}.`)
}
