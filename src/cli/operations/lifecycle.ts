import type { Output } from '../../contract/index.ts'
import { whenSaid } from '../../contract/memory-heading.ts'
import { AN_ID, ANOTHER_ID, type CommandGroup, numberOf } from '../shell/command.ts'
import { clip, shortTime, table } from '../shell/table.ts'
import type { Terminal } from '../shell/terminal.ts'
import { operation } from './operation.ts'
import { showNotes, sumsOf } from './show.ts'

export const conflicts: CommandGroup = {
  summary: 'See and resolve contradictions',
  actions: {
    list: operation('listConflicts', {
      details:
        'The newest contradiction comes first. With --cursor, a pair that is there the whole time appears exactly once.',
      examples: ['conflicts list', 'conflicts list --status suggested'],
      show(answer, terminal) {
        const { say, note, paint, width } = terminal
        if (answer.conflicts.length === 0) note('No conflicts.')
        for (const { source, target, created_at, reason } of answer.conflicts) {
          say(paint('dim', clip([shortTime(created_at), reason].filter(Boolean).join(': '), width)))
          for (const memory of [source, target]) {
            say(`  ${clip(memory.content, width - 2)}`)
            say(`  ${paint('dim', `${memory.id} ${whenSaid(memory)}`)}`)
          }
        }
        showNotes(answer, terminal)
      },
    }),
    review: operation('reviewConflict', {
      words: [
        ['source_id', 'ONE', 'one memory'],
        ['target_id', 'OTHER', 'the other'],
        ['outcome', 'OUTCOME', 'confirmed or rejected'],
      ],
      examples: [`conflicts review ${AN_ID} ${ANOTHER_ID} rejected`],
      done: ({ status }) => `The conflict is ${status}.`,
    }),
    resolve: operation('resolveConflict', {
      words: [
        ['keep_id', 'KEEP', 'the memory to keep'],
        ['archive_id', 'ARCHIVE', 'the one to archive'],
      ],
      details: [
        'They contradict each other, or a conflict of them is suggested, which this confirms. The memory is archived as',
        'superseded and stops to hold; its connections stay. To have it back, use restore.',
      ].join(' '),
      done: ({ kept_id, archived_id }) => `${kept_id} stays, ${archived_id} is archived.`,
    }),
  },
}

export const policies: CommandGroup = {
  summary: 'List, define and delete lifecycle policies',
  actions: {
    list: operation('listPolicies', {
      columns: [
        'name',
        {
          'BUILT IN': ({ built_in, overridden }) => (overridden ? 'overridden' : built_in),
          DECAY: 'health_decay',
          BOOST: 'recall_boost',
          'ARCHIVE AT': 'archive_at_health',
          PROMOTE: ({ promote_to, promote_at_recalls }) =>
            promote_to === null ? null : `${promote_to} at ${promote_at_recalls}`,
          'REMOVE AFTER': 'remove_after_seconds',
        },
      ],
      none: 'No policies.',
    }),
    define: operation('putPolicy', {
      examples: ['policies define meeting_notes --health-decay 2 --recall-boost 10 --archive-at-health 5'],
      done: ({ name }) => `Defined ${name}.`,
    }),
    delete: operation('deletePolicy', {
      examples: ['policies delete meeting_notes'],
      done: ({ name }) => `Deleted ${name}.`,
    }),
  },
}

export const erase = operation('eraseMemories', {
  details: [
    'For requests to be forgotten. It removes history, connections, recalls, queued jobs and stored responses too.',
    'You cannot undo it. To be able to, use forget. --dry-run counts only.',
  ].join('\n'),
  examples: ['erase --source crm:4711 --dry-run', 'erase --source crm:4711 --yes'],
  confirm: 'Nothing was removed. An erasure cannot be undone: repeat with --yes',
  show({ id, counts, verified, complete }, { say, note }) {
    const sums = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
    if (id === null) return note(`It would remove ${sums.join(', ')}.`)
    say(id)
    note(`Removed ${sums.join(', ')}. ${verified ? 'Nothing is left of them.' : ''}`.trim())
    if (!complete)
      note(`The service continues with the rest: mnemograph erasure ${id} says when it is complete.`)
  },
})

export const erasure = operation('getErasure', { words: [['id', 'RECEIPT', 'one receipt by its id']] })

/** Of the command, not of the call: the service returns all changes. */
const limit = { limit: { value: 'N', short: 'n', describe: 'Show so many changes (default: 50)' } }
const check = (typed: Readonly<Record<string, unknown>>) => void mostShown(typed)
const mostShown = (typed: Readonly<Record<string, unknown>>) =>
  numberOf(typed.limit as string | undefined, '--limit')

export const maintain: CommandGroup = {
  summary: 'Plan, apply and undo the maintenance of a tenant, and look at its runs',
  details:
    'A scheduled run that would archive or remove too much leaves a plan that is waiting: runs --state waiting names it, show has its changes, and apply carries it out.',
  actions: {
    plan: operation('planMaintenance', {
      details: [
        'The service keeps the plan for one day, and you can apply exactly these changes. With --at or --policies it only',
        'simulates and stores nothing. A plan changes nothing before you apply it, and you can undo its run.',
      ].join(' '),
      examples: ['maintain plan', 'maintain plan --kind merge', 'maintain plan --at 2027-01-31T00:00:00Z'],
      names: { 'filters.kind': 'memory-kind' },
      more: limit,
      check,
      show: showPlan,
    }),
    apply: operation('applyMaintenance', {
      as: 'PLAN',
      details: [
        'The service applies every change that still fits, and names the others: their memory was changed, archived,',
        'restored, removed or maintained since, or the policy that it would move to was deleted. A recall alone does no',
        'harm. Memories that are merged into one another are left out together. If no change fits, the plan is refused',
        'with plan_moved. After an interruption, maintain show says whether the plan was applied.',
      ].join(' '),
      show({ applied, left_out, summary, run_id }, terminal) {
        terminal.say(`Applied ${applied} changes: ${sumOf(summary) || 'nothing was due'}`)
        for (const { memory_id, reason } of left_out) terminal.note(`${memory_id} stays as it is: ${reason}`)
        terminal.note(`Within 7 days: mnemograph maintain undo ${run_id}`)
      },
    }),
    undo: operation('undoMaintenance', {
      as: 'RUN',
      show({ undone, skipped }, terminal) {
        terminal.say(`Undid ${undone} changes`)
        for (const memory of skipped) terminal.note(`${memory} has changed since, and keeps what it has.`)
      },
    }),
    runs: operation('listMaintenanceRuns', {
      examples: ['maintain runs --state waiting'],
      columns: ['id', 'state', 'origin', { AT: 'at', CHANGES: ({ summary }) => sumOf(summary) }],
      none: 'No runs.',
      also({ runs }, { note }) {
        if (runs.some(({ state }) => state === 'waiting'))
          note(
            'A plan that is waiting holds up maintenance: look at it with show, then apply it or fix its cause.',
          )
      },
    }),
    show: operation('getMaintenanceRun', {
      as: 'RUN',
      more: limit,
      check,
      show(run, terminal, typed) {
        showChanges(run.changes, mostShown(typed), terminal)
        terminal.say(
          `${run.state}, ${run.origin}, for ${shortTime(run.at)}: ${sumOf(run.summary) || 'no changes'}`,
        )
        if (run.state === 'applied' && run.undo_until)
          terminal.note(`Until ${shortTime(run.undo_until)}: mnemograph maintain undo ${run.id}`)
      },
    }),
  },
}

function showPlan(
  { changes, at, summary, plan_id, truncated, next_cursor }: Output<'planMaintenance'>,
  terminal: Terminal,
  typed: Readonly<Record<string, unknown>>,
) {
  showChanges(changes, mostShown(typed), terminal)
  terminal.say(`${shortTime(at)}: ${sumOf(summary) || 'nothing is due'}`)
  if (truncated)
    terminal.note(
      `There is more${plan_id ? ': apply this plan, then plan again with' : ':'} --cursor ${next_cursor}`,
    )
  if (plan_id === null) terminal.note('This is a what-if: nothing was written.')
  else if (changes.length > 0) terminal.note(`Within a day: mnemograph maintain apply ${plan_id}`)
}

export function showChanges(changes: Output<'planMaintenance'>['changes'], most = 50, terminal: Terminal) {
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
  const parts = sumsOf(sums)
  return parts && `${parts}; of ${memories} memories`
}
