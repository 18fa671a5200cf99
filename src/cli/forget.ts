import type { Client } from '../client.ts'
import { fieldsOf } from '../contract/fields.ts'
import { type Input, routes } from '../contract/index.ts'
import { showChanges } from './operations/lifecycle.ts'
import { describeOptions, inputOfOptions, optionsFor } from './operations/options.ts'
import { callCommand } from './shell/call.ts'
import { wordsOf } from './shell/command.ts'

const filters = optionsFor(fieldsOf(routes.planMaintenance.input).filters?.fields ?? {}, {})

export const forget = callCommand({
  summary: 'Archive all memories that match a filter: a preview first, and it can be undone',
  details: 'Without --apply it shows the plan and changes nothing. A plan can be applied for a day.',
  examples: ['forget --source https://wiki.example/old', 'forget --tags draft --apply'],
  options: { ...describeOptions(filters, {}), apply: { describe: 'Do it at once' } },
  async call({ values, words }) {
    wordsOf(words)
    const chosen = (await inputOfOptions(filters, values)) as Input<'planMaintenance'>['filters']
    return async (client: Client, options) => {
      const plan = await client.planMaintenance({ kind: 'forget', filters: chosen }, options)
      const isApplied = values.apply === true && plan.plan_id !== null && plan.changes.length > 0
      const { applied } = isApplied
        ? await client.applyMaintenance({ id: plan.plan_id as string }, options)
        : { applied: null }
      return { ...plan, applied }
    }
  },
  show({ plan_id, changes, truncated, applied }, terminal) {
    if (changes.length === 0) return terminal.note('No memory matches.')
    showChanges(changes, 20, terminal)
    if (applied !== null)
      terminal.note(
        `Archived ${applied} memories. Take it back within 7 days: mnemograph maintain undo ${plan_id}`,
      )
    else
      terminal.note(
        `It would archive ${changes.length} memories. Do it within a day: mnemograph maintain apply ${plan_id}`,
      )
    if (truncated) terminal.note('There are more: run it again afterwards.')
  },
})
