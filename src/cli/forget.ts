import { fieldsOf } from '../contract/fields.ts'
import { type Input, routes } from '../contract/index.ts'
import { showChanges } from './operations/lifecycle.ts'
import { inputOptions } from './operations/options.ts'
import { answering } from './shell/command.ts'
import { connectClient, connectionOptions } from './shell/connect.ts'

const fields = inputOptions(fieldsOf(routes.planMaintenance.input).filters?.fields ?? {})

export const forget = answering({
  summary: 'Archive all memories that match a filter: a preview first, and it can be undone',
  details: 'Without --apply it shows the plan and changes nothing. A plan can be applied for a day.',
  examples: ['forget --source https://wiki.example/old', 'forget --tags draft --apply'],
  options: {
    ...fields.options,
    apply: { describe: 'Do it at once' },
    ...connectionOptions,
  },
  async answer({ values }, { signal }) {
    const filters = (await fields.read(values)) as Input<'planMaintenance'>['filters']
    const client = await connectClient(values)
    const plan = await client.planMaintenance({ kind: 'forget', filters }, { signal })
    const { plan_id: id, changes } = plan
    if (!values.apply || id === null || changes.length === 0) return { ...plan, applied: null }
    const { applied } = await client.applyMaintenance({ id }, { signal })
    return { ...plan, applied }
  },
  show({ plan_id, changes, truncated, applied }, terminal) {
    const { note } = terminal
    if (changes.length === 0) return note('No memory matches.')
    showChanges(changes, 20, terminal)
    if (applied !== null)
      note(`Archived ${applied} memories. Take it back within 7 days: mnemograph maintain undo ${plan_id}`)
    else
      note(
        `It would archive ${changes.length} memories. Do it within a day: mnemograph maintain apply ${plan_id}`,
      )
    if (truncated) note('There are more: run it again afterwards.')
  },
})
