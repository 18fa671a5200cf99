import { readFile } from 'node:fs/promises'
import type { Input, Output } from '../../contract/index.ts'
import { SourceError } from '../importers/found.ts'
import { callCommand } from '../shell/call.ts'
import { AN_ID, type Group, given, numberOf, type Option, oneOf, wordsOf } from '../shell/command.ts'
import { filterOptions, filtersOf } from '../shell/filters.ts'
import { shortTime, table } from '../shell/table.ts'
import type { Terminal } from '../shell/terminal.ts'

const KINDS = ['lifecycle', 'forget', 'merge'] as const
const STATES = ['planned', 'waiting', 'applied', 'undone'] as const
const changesShown = {
  value: 'N',
  short: 'n',
  describe: 'Show so many changes (default: 50)',
} as const satisfies Option

/** Read before the service is asked: a wrong number leaves no plan behind. @throws UsageError */
const mostShown = ({ limit }: { limit?: string }) => numberOf(limit, '--limit')

const plan = callCommand({
  summary: 'Show what maintenance would do, and keep it as a plan for a day',
  details: 'With --at or --policies it is a what-if: nothing is kept.',
  examples: ['maintain plan', 'maintain plan --kind merge', 'maintain plan --at 2027-01-31T00:00:00Z'],
  options: {
    threshold: {
      value: 'X',
      describe: 'merge: the cosine from which two memories are near duplicates (0.97)',
    },
    at: { value: 'TIME', describe: 'What a run at that time would do' },
    policies: { value: 'FILE', describe: 'As if the policies in this file were defined, a list in JSON' },
    limit: changesShown,
    ...filterOptions,
    'memory-kind': { value: 'NAME', describe: 'Only memories of this kind' },
    kind: { value: 'KIND', short: 'k', describe: `${KINDS.join(', ')} (default: lifecycle)` },
  },
  async call({ values, words }) {
    wordsOf(words)
    const { kind, 'memory-kind': ofKind, ...others } = values
    const filters = filtersOf({ ...others, ...given({ kind: ofKind }) })
    const input = given({
      kind: oneOf(KINDS, kind, '--kind'),
      filters: Object.keys(filters).length > 0 ? filters : undefined,
      threshold: numberOf(values.threshold, '--threshold'),
      at: values.at,
      policies: values.policies === undefined ? undefined : await policiesIn(values.policies),
    })
    mostShown(values)
    return (client, options) => client.planMaintenance(input, options)
  },
  show: (answer, terminal, values) => showPlan(answer, mostShown(values), terminal),
})

function showPlan(answer: Output<'planMaintenance'>, most: number | undefined, terminal: Terminal) {
  showChanges(answer.changes, most, terminal)
  terminal.say(`${shortTime(answer.at)}: ${sumOf(answer.summary) || 'nothing is due'}`)
  const { plan_id, truncated } = answer
  if (truncated)
    terminal.note(`There is more to do than one plan holds${plan_id ? ': apply it, and plan again' : ''}.`)
  if (plan_id === null) terminal.note('This is a what-if: nothing was written.')
  else if (answer.changes.length > 0) terminal.note(`Within a day: mnemograph maintain apply ${plan_id}`)
}

const apply = callCommand({
  words: 'PLAN',
  summary: 'Do exactly what a plan says, or nothing if one of its memories has changed since',
  examples: [`maintain apply ${AN_ID}`],
  options: {},
  call({ words }) {
    const [id] = wordsOf(words, 'one plan by its id')
    return (client, options) => client.applyMaintenance({ id }, options)
  },
  show({ applied, summary, run_id }, terminal) {
    terminal.say(`Applied ${applied} changes: ${sumOf(summary) || 'nothing was due'}`)
    terminal.note(`Within 7 days: mnemograph maintain undo ${run_id}`)
  },
})

const undo = callCommand({
  words: 'RUN',
  summary: 'Take a run back, within 7 days',
  examples: [`maintain undo ${AN_ID}`],
  options: {},
  call({ words }) {
    const [id] = wordsOf(words, 'one run by its id')
    return (client, options) => client.undoMaintenance({ id }, options)
  },
  show({ undone, skipped }, terminal) {
    terminal.say(`Undid ${undone} changes`)
    for (const memory of skipped) terminal.note(`${memory} has changed since, and keeps what it has.`)
  },
})

const runs = callCommand({
  summary: 'List plans and runs, the newest first',
  examples: ['maintain runs --state waiting'],
  options: {
    state: { value: 'STATE', describe: `Of ${STATES.join(', ')}` },
    limit: { value: 'N', short: 'n', describe: 'At most this many (default: 20)' },
  },
  call({ values, words }) {
    wordsOf(words)
    const filter = given({
      state: oneOf(STATES, values.state, '--state'),
      limit: numberOf(values.limit, '--limit'),
    })
    return (client, options) => client.listMaintenanceRuns(filter, options)
  },
  show({ runs: found, has_more }, terminal) {
    if (found.length === 0) return terminal.note('No runs.')
    const rows = found.map(run => [run.id, run.state, run.origin, shortTime(run.at), sumOf(run.summary)])
    terminal.say(table(terminal, ['ID', 'STATE', 'ORIGIN', 'AT', 'CHANGES'], rows))
    if (has_more) terminal.note('There is more; --limit shows it.')
    if (found.some(run => run.state === 'waiting'))
      terminal.note(
        'A plan that is waiting holds up maintenance: look at it with show, then apply it or fix its cause.',
      )
  },
})

const show = callCommand({
  words: 'RUN',
  summary: 'Show the changes of a plan or a run',
  examples: [`maintain show ${AN_ID}`],
  options: { limit: changesShown },
  call({ values, words }) {
    const [id] = wordsOf(words, 'one run by its id')
    mostShown(values)
    return (client, options) => client.getMaintenanceRun({ id }, options)
  },
  show(run, terminal, values) {
    showChanges(run.changes, mostShown(values), terminal)
    terminal.say(
      `${run.state}, ${run.origin}, for ${shortTime(run.at)}: ${sumOf(run.summary) || 'no changes'}`,
    )
    if (run.state === 'applied' && run.undo_until)
      terminal.note(`Until ${shortTime(run.undo_until)}: mnemograph maintain undo ${run.id}`)
  },
})

export const maintain: Group = {
  summary: 'Plan, apply and undo the maintenance of a tenant, and look at its runs',
  details:
    'A scheduled run that would archive or remove too much leaves a plan that is waiting: runs --state waiting names it, show has its changes, and apply carries it out.',
  actions: { plan, apply, undo, runs, show },
}

type Changes = Output<'planMaintenance'>['changes']

export function showChanges(changes: Changes, most = 50, terminal: Terminal) {
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
