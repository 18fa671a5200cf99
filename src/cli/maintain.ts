import { readFile } from 'node:fs/promises'
import type { Input, Output } from '../contract/index.ts'
import { SourceError } from './importers/found.ts'
import { commandOfActions } from './shell/actions.ts'
import { given, type Invocation, numberOf, oneOf } from './shell/command.ts'
import { connectClient, connectionOptions } from './shell/connect.ts'
import { shortTime, table } from './shell/table.ts'
import type { Terminal } from './shell/terminal.ts'

const STATES = ['planned', 'waiting', 'applied', 'undone'] as const

const options = {
  at: {
    value: 'TIME',
    describe: 'plan: what a run at that time would do, for instance 2027-01-31T00:00:00Z',
  },
  policies: { value: 'FILE', describe: 'plan: as if the policies in this file were defined, a list in JSON' },
  state: { value: 'STATE', describe: `runs: of ${STATES.join(', ')}` },
  limit: { value: 'N', describe: 'runs: at most this many (default: 20); plan, show: so many changes (50)' },
  ...connectionOptions,
}

export const maintain = commandOfActions({
  name: 'maintain',
  summary: 'Plan, apply and undo the maintenance of a tenant, and look at its runs',
  details: [
    'plan shows what maintenance would do now, and keeps it for a day; apply does exactly that, or nothing when',
    'a memory of it has moved since. With --at or --policies it is a what-if: nothing is kept. undo takes a run',
    'back, within 7 days. A scheduled run that would archive or remove too much leaves a plan that is waiting:',
    'runs --state waiting names it, show has its changes, and apply carries it out.',
  ].join('\n'),
  options,
  actions: { plan, 'apply PLAN': apply, 'undo RUN': undo, runs, 'show RUN': show },
})

type Values = Invocation<typeof options>['values']

async function plan(values: Values, terminal: Terminal) {
  const limit = numberOf(values.limit, '--limit')
  const policies = values.policies === undefined ? undefined : await policiesIn(values.policies)
  const client = await connectClient(values)
  const answer = await client.planMaintenance(given({ at: values.at, policies }), { signal: terminal.signal })
  if (values.json) return terminal.json(answer)
  showChanges(answer.changes, limit, terminal)
  terminal.say(`${shortTime(answer.at)}: ${sumOf(answer.summary) || 'nothing is due'}`)
  const { plan_id, truncated } = answer
  if (truncated)
    terminal.note(`There is more to do than one plan holds${plan_id ? ': apply it, and plan again' : ''}.`)
  if (plan_id === null) terminal.note('This is a what-if: nothing was written.')
  else if (answer.changes.length > 0) terminal.note(`Within a day: mnemograph maintain apply ${plan_id}`)
}

async function apply(values: Values, terminal: Terminal, id: string) {
  const client = await connectClient(values)
  const answer = await client.applyMaintenance({ id }, { signal: terminal.signal })
  if (values.json) return terminal.json(answer)
  terminal.say(`Applied ${answer.applied} changes: ${sumOf(answer.summary) || 'nothing was due'}`)
  terminal.note(`Within 7 days: mnemograph maintain undo ${answer.run_id}`)
}

async function undo(values: Values, terminal: Terminal, id: string) {
  const client = await connectClient(values)
  const answer = await client.undoMaintenance({ id }, { signal: terminal.signal })
  if (values.json) return terminal.json(answer)
  terminal.say(`Undid ${answer.undone} changes`)
  for (const memory of answer.skipped) terminal.note(`${memory} has changed since, and keeps what it has.`)
}

async function runs(values: Values, terminal: Terminal) {
  const state = oneOf(STATES, values.state, '--state')
  const filter = given({ state, limit: numberOf(values.limit, '--limit') })
  const client = await connectClient(values)
  const answer = await client.listMaintenanceRuns(filter, { signal: terminal.signal })
  if (values.json) return terminal.json(answer)
  if (answer.runs.length === 0) return terminal.note('No runs.')
  const rows = answer.runs.map(run => [run.id, run.state, run.origin, shortTime(run.at), sumOf(run.summary)])
  terminal.say(table(terminal, ['ID', 'STATE', 'ORIGIN', 'AT', 'CHANGES'], rows))
  if (answer.has_more) terminal.note('There is more; --limit shows it.')
  if (answer.runs.some(run => run.state === 'waiting'))
    terminal.note(
      'A plan that is waiting holds up maintenance: look at it with show, then apply it or fix its cause.',
    )
}

async function show(values: Values, terminal: Terminal, id: string) {
  const limit = numberOf(values.limit, '--limit')
  const client = await connectClient(values)
  const run = await client.getMaintenanceRun({ id }, { signal: terminal.signal })
  if (values.json) return terminal.json(run)
  showChanges(run.changes, limit, terminal)
  terminal.say(`${run.state}, ${run.origin}, for ${shortTime(run.at)}: ${sumOf(run.summary) || 'no changes'}`)
  if (run.state === 'applied' && run.undo_until)
    terminal.note(`Until ${shortTime(run.undo_until)}: mnemograph maintain undo ${run.id}`)
}

type Changes = Output<'planMaintenance'>['changes']

function showChanges(changes: Changes, most = 50, terminal: Terminal) {
  if (changes.length === 0) return
  const rows = changes
    .slice(0, most)
    .map(({ memory_id, change, reason, rule, before, after }) => [
      memory_id,
      change,
      `${tenth(before.health)} → ${tenth(after.health)}`,
      `${reason} (${rule})`,
    ])
  terminal.say(table(terminal, ['MEMORY', 'CHANGE', 'HEALTH', 'WHY'], rows))
  if (changes.length > most) terminal.note(`${changes.length - most} more; --limit or --json shows them.`)
}

const tenth = (figure: number) => String(Math.round(figure * 10) / 10)

const sumOf = ({ memories, ...sums }: Output<'planMaintenance'>['summary']) => {
  const parts = Object.entries(sums).flatMap(([change, count]) => (count > 0 ? `${count} ${change}` : []))
  return parts.length > 0 ? `${parts.join(', ')}; of ${memories} memories` : ''
}

/** The service judges what is in it. @throws SourceError for what is no JSON */
async function policiesIn(path: string): Promise<Input<'planMaintenance'>['policies']> {
  const text = await readFile(path, 'utf8')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SourceError(`${path} is not JSON: ${(error as Error).message}`, { cause: error })
  }
}
