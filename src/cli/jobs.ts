import { command, given, type Invocation, numberOf, UsageError } from './shell/command.ts'
import { connect, connectionOptions } from './shell/connect.ts'
import { shortTime, table } from './shell/table.ts'
import type { Terminal } from './shell/terminal.ts'

const STATES = ['queued', 'waiting', 'running', 'failed', 'done'] as const

const options = {
  state: { value: 'STATE', describe: `list: of ${STATES.join(', ')}` },
  limit: { value: 'N', describe: 'list: at most this many (default: 50)' },
  ...connectionOptions,
}

export const jobs = command({
  usage: 'jobs list | jobs retry ID',
  summary: "See a tenant's queued work, and queue failed work again",
  options,
  run,
})

type Given = Invocation<typeof options>

async function run({ values, words }: Given, terminal: Terminal) {
  const [action, id] = words
  if (action === 'list' && words.length === 1) await list(values, terminal)
  else if (action === 'retry' && id && words.length === 2) await retry(values, id, terminal)
  else throw new UsageError('Say what to do: list, or retry with the id of a job')
  return undefined
}

async function list(values: Given['values'], terminal: Terminal) {
  const state = STATES.find(each => each === values.state)
  if (values.state !== undefined && !state) throw new UsageError(`--state is one of ${STATES.join(', ')}`)
  const client = await connect(values)
  const answer = await client.listJobs(given({ state, limit: numberOf(values.limit, '--limit') }), {
    signal: terminal.signal,
  })
  if (values.json) return terminal.json(answer)
  const { jobs: found, counts, has_more } = answer
  const rows = found.map(job => [
    job.id,
    job.state,
    String(job.attempt),
    shortTime(job.created_at),
    job.last_error ?? job.report ?? '',
  ])
  if (found.length > 0) terminal.say(table(terminal, ['ID', 'STATE', 'TRIES', 'CREATED', 'SAYS'], rows))
  const sums = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  terminal.note(sums.length > 0 ? `In all: ${sums.join(', ')}.` : 'The tenant has no jobs.')
  if (has_more) terminal.note('There is more; --limit shows it.')
}

async function retry(values: Given['values'], id: string, terminal: Terminal) {
  const client = await connect(values)
  const job = await client.retryJob({ id }, { signal: terminal.signal })
  if (values.json) terminal.json(job)
  else terminal.note(`${job.id} is ${job.state}.`)
}
