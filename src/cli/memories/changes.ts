import type { Client } from '../../client.ts'
import { type Change, change } from '../../contract/changes.ts'
import type { Input } from '../../contract/index.ts'
import { eventsIn } from '../../server-events.ts'
import { command, given, listOf, numberOf } from '../shell/command.ts'
import { connectClient, connectionOptions } from '../shell/connect.ts'
import type { Terminal } from '../shell/terminal.ts'

type Kinds = NonNullable<Input<'listChanges'>['kinds']>

export const changes = command({
  summary: 'List what has changed, or follow it as it happens',
  details: 'With --json each change is a line of its own.',
  examples: ['changes --kinds created,archived', 'changes --follow'],
  options: {
    follow: { short: 'f', describe: 'Wait for further changes, until Ctrl-C' },
    cursor: { value: 'CURSOR', describe: 'Continue after this place' },
    kinds: { value: 'A,B', describe: 'Only changes of these kinds, for instance created,updated' },
    limit: { value: 'N', short: 'n', describe: 'At most this many without --follow (default: 100)' },
    ...connectionOptions,
  },
  async run({ values }, { say, note, paint, signal }) {
    const limit = numberOf(values.limit, '--limit')
    // The service checks the names.
    const kinds = values.kinds === undefined ? undefined : (listOf(values.kinds) as Kinds)
    const client = await connectClient(values)
    const print = (each: Change) => say(values.json ? JSON.stringify(each) : lineOf(each, paint))
    if (values.follow) await follow(client, given({ kinds, after: values.cursor }), print, signal)
    else {
      const page = await client.listChanges(given({ kinds, cursor: values.cursor, limit }), { signal })
      for (const each of page.changes) print(each)
      if (page.has_more && !values.json) note(`There is more: --cursor ${page.next_cursor}`)
    }
    return undefined
  },
})

/** Prints until the reader has had enough: an interruption is how it ends. */
async function follow(
  client: Client,
  input: Input<'followChanges'>,
  print: (change: Change) => void,
  signal: AbortSignal,
) {
  const { pieces } = await client.followChanges(input, { signal })
  for await (const { data } of eventsIn(pieces)) {
    const read = data === '' ? undefined : change.safeParse(JSON.parse(data))
    if (read?.success) print(read.data)
  }
}

function lineOf(
  { at, kind, memory_id, connection, policy, fields }: Change,
  paint: Terminal['paint'],
): string {
  const what = connection
    ? `${connection.source_id} ${connection.relationship_type} ${connection.target_id}`
    : (memory_id ?? policy ?? '')
  const more = fields && fields.length > 0 ? ` (${fields.join(', ')})` : ''
  return `${paint('dim', at.slice(0, 19).replace('T', ' '))}  ${paint('bold', kind.padEnd(12))}  ${what}${more}`
}
