import { Pencil } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useAct } from '../../data/acting.ts'
import { client } from '../../data/client.ts'
import { IconButton, Pop } from '../../parts/ui.tsx'
import { HoldsBetween, minuteOf } from './holds-between.tsx'
import type { Related } from './related.ts'

type Connection = Related[number]['connection']
type Said = Pick<Connection, 'strength' | 'reason' | 'valid_from' | 'valid_until'>

/** What a caller can say of a connection besides its ends and its type. */
export const saidOf = ({ strength, reason, valid_from, valid_until }: Said) =>
  Object.fromEntries(
    Object.entries({ strength, reason, valid_from, valid_until }).filter(([, value]) => value !== null),
  )

const endsOf = ({ source_id, target_id, relationship_type }: Connection) => ({
  source_id,
  target_id,
  relationship_type,
})

/** Says exactly this of the connection: what it does not say is cleared. */
const say = (connection: Connection, said: Said) =>
  client().createConnection({
    ...endsOf(connection),
    ...saidOf(said),
    clear: (['strength', 'reason', 'valid_from', 'valid_until'] as const).filter(name => said[name] === null),
  })

type Draft = { strength: string; reason: string; from: string; until: string }

const saidIn = ({ strength, reason, from, until }: Draft, before: Said): Said => ({
  strength: strength === '' ? null : Number(strength),
  reason: reason.trim() || null,
  valid_from: timeOf(from, before.valid_from),
  valid_until: timeOf(until, before.valid_until),
})

/** A time that is as it was stays to the millisecond. */
const timeOf = (typed: string, before: string | null) =>
  typed === '' ? null : typed === minuteOf(before) ? before : `${typed}:00Z`

/** Changes how strong a connection is, why it is there, and when it holds. */
export function EditConnection({ connection, name }: { connection: Connection; name: string }) {
  const [isOpen, setOpen] = useState(false)
  const label = `Edit the connection with ${name}`
  return (
    <Pop
      label={label}
      open={isOpen}
      change={setOpen}
      isForm
      trigger={<IconButton label={label} icon={Pencil} />}
    >
      <Form connection={connection} close={() => setOpen(false)} />
    </Pop>
  )
}

function Form({ connection, close }: { connection: Connection; close: () => void }) {
  const act = useAct()
  const [draft, setDraft] = useState<Draft>({
    strength: connection.strength?.toString() ?? '',
    reason: connection.reason ?? '',
    from: minuteOf(connection.valid_from),
    until: minuteOf(connection.valid_until),
  })
  const field = (name: keyof Draft) => ({
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => setDraft({ ...draft, [name]: target.value }),
  })
  const save = (event: FormEvent) => {
    event.preventDefault()
    close()
    void act(
      'Changed.',
      () => say(connection, saidIn(draft, connection)),
      () => say(connection, connection),
    )
  }
  return (
    <form onSubmit={save}>
      <label className="field">
        Strength
        <input type="number" min={0} max={1} step="any" placeholder="not said" {...field('strength')} />
      </label>
      <label className="field">
        Reason
        <input maxLength={1_000} {...field('reason')} />
      </label>
      <HoldsBetween from={field('from')} until={field('until')} />
      <p className="actions">
        <button type="submit" className="primary">
          Save
        </button>
      </p>
    </form>
  )
}
