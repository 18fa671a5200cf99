import type { Client } from '../../client.ts'
import { callCommand } from '../shell/call.ts'
import { wordsOf } from '../shell/command.ts'
import { filterOptions, filtersOf } from '../shell/filters.ts'
import { showChanges } from './maintain.ts'

export const forget = callCommand({
  summary: 'Archive all memories that match a filter: a preview first, and it can be undone',
  details: 'Without --apply it shows the plan and changes nothing. A plan can be applied for a day.',
  examples: ['forget --source https://wiki.example/old', 'forget --tags draft --apply'],
  options: {
    ...filterOptions,
    apply: { describe: 'Do it at once' },
  },
  call({ values, words }) {
    wordsOf(words)
    const filters = filtersOf(values)
    return async (client: Client, options) => {
      const plan = await client.planMaintenance({ kind: 'forget', filters }, options)
      const isApplied = values.apply === true && plan.plan_id !== null && plan.changes.length > 0
      if (isApplied) await client.applyMaintenance({ id: plan.plan_id as string }, options)
      return { ...plan, applied: isApplied }
    }
  },
  show({ plan_id, changes, truncated, applied }, terminal) {
    if (changes.length === 0) return terminal.note('No memory matches.')
    showChanges(changes, 20, terminal)
    if (applied)
      terminal.note(
        `Archived ${changes.length} memories. Take it back within 7 days: mnemograph maintain undo ${plan_id}`,
      )
    else
      terminal.note(
        `It would archive ${changes.length} memories. Do it within a day: mnemograph maintain apply ${plan_id}`,
      )
    if (truncated) terminal.note('There are more: run it again afterwards.')
  },
})
