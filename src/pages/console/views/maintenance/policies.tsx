import { type FormEvent, useState } from 'react'
import { useAct } from '../../data/acting.ts'
import { client } from '../../data/client.ts'
import { type Policy, usePolicies } from '../../data/policies.ts'
import { Curve, type Fate, lastDayOf } from '../../parts/curve.tsx'
import { Table } from '../../parts/table.tsx'
import { Card } from '../../parts/ui.tsx'
import { countOf } from '../../parts/words.ts'

const DAY_SECONDS = 86_400

/** A rule as it is typed: empty where it does not apply. */
type Typed = Record<(typeof fields)[number][0] | 'promote_to', string>

const fields = [
  ['health_decay', 'Health lost each day', 0, 100, 'any'],
  ['recall_boost', 'Health gained with each recall', 0, 100, 'any'],
  ['importance_decay', 'Factor of the importance each day', 0, 1, 'any'],
  ['archive_at_health', 'Archive at this health', 0, 100, 'any'],
  ['remove_after_days', 'Remove so many days after that', 0, 36_500, 'any'],
  ['promote_at_recalls', 'Promote at so many recalls', 1, 1_000_000, 1],
] as const

/** The policies of the tenant, what each does to a memory that nobody recalls, and an editor. */
export function Policies() {
  const act = useAct()
  const [edited, setEdited] = useState<Policy | 'new'>()
  const policies = usePolicies()
  return (
    <Card
      title="Policies"
      actions={
        <button type="button" onClick={() => setEdited('new')}>
          New policy
        </button>
      }
    >
      {edited && (
        <Editor
          key={edited === 'new' ? '' : edited.name}
          policy={edited === 'new' ? undefined : edited}
          names={policies.map(({ name }) => name)}
          close={() => setEdited(undefined)}
        />
      )}
      <Table columns={['Policy', 'Health', 'What it does', '']}>
        {policies.map(policy => (
          <tr key={policy.name}>
            <td>
              <strong>{policy.name}</strong>{' '}
              <span className="hint">
                {policy.overridden ? 'changed' : policy.built_in ? 'built in' : ''}
              </span>
            </td>
            <td>
              <Curve rules={policy} />
            </td>
            <td>{fateOf(policy)}</td>
            <td className="end">
              <button type="button" aria-label={`Edit ${policy.name}`} onClick={() => setEdited(policy)}>
                Edit
              </button>{' '}
              {(!policy.built_in || policy.overridden) && (
                <button
                  type="button"
                  aria-label={`${policy.built_in ? 'Reset' : 'Delete'} ${policy.name}`}
                  onClick={() => act('Deleted.', () => client().deletePolicy({ name: policy.name }))}
                >
                  {policy.built_in ? 'Reset' : 'Delete'}
                </button>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  )
}

type EditorProps = { policy: Policy | undefined; names: readonly string[]; close: () => void }

function Editor({ policy, names, close }: EditorProps) {
  const act = useAct()
  const [name, setName] = useState(policy?.name ?? '')
  const [typed, setTyped] = useState(typedOf(policy))
  const rules = rulesOf(typed)
  const save = (event: FormEvent) => {
    event.preventDefault()
    void act(`Saved ${name}.`, async () => {
      await client().putPolicy({ name, ...rules })
      close()
    })
  }
  return (
    <form className="editor" aria-label="Policy" onSubmit={save}>
      <div className="fields">
        <label className="field">
          Name
          <input
            required
            pattern="[a-z][a-z0-9_]{0,63}"
            title="a-z, 0-9 and _, beginning with a letter"
            readOnly={policy !== undefined}
            value={name}
            onChange={event => setName(event.target.value)}
          />
        </label>
        {fields.map(([field, label, min, max, step]) => (
          <label key={field} className="field">
            {label}
            <input
              type="number"
              {...{ min, max, step }}
              value={typed[field]}
              onChange={event => setTyped({ ...typed, [field]: event.target.value })}
            />
          </label>
        ))}
        <label className="field">
          Promote to
          <select
            value={typed.promote_to}
            onChange={event => setTyped({ ...typed, promote_to: event.target.value })}
          >
            {['', ...names.filter(each => each !== name)].map(each => (
              <option key={each} value={each}>
                {each || 'none'}
              </option>
            ))}
          </select>
        </label>
      </div>
      <p role="status">
        <Curve rules={rules} /> {fateOf(rules)}
      </p>
      <p className="actions">
        <button type="submit" className="primary">
          Save policy
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </p>
    </form>
  )
}

function typedOf(policy: Policy | undefined): Typed {
  const text = (value: number | null | undefined) =>
    value === null || value === undefined ? '' : String(value)
  const removal = policy?.remove_after_seconds ?? null
  return {
    health_decay: text(policy?.health_decay ?? 1),
    recall_boost: text(policy?.recall_boost ?? 10),
    importance_decay: text(policy?.importance_decay ?? 1),
    archive_at_health: text(policy?.archive_at_health),
    remove_after_days: text(removal === null ? null : removal / DAY_SECONDS),
    promote_at_recalls: text(policy?.promote_at_recalls),
    promote_to: policy?.promote_to ?? '',
  }
}

function rulesOf({ promote_to, remove_after_days, ...numbers }: Typed) {
  const given = Object.entries(numbers).flatMap(([field, text]) =>
    text === '' ? [] : [[field, Number(text)]],
  )
  return {
    ...(Object.fromEntries(given) as Partial<Record<keyof typeof numbers, number>>),
    ...(remove_after_days === ''
      ? {}
      : { remove_after_seconds: Math.round(Number(remove_after_days) * DAY_SECONDS) }),
    ...(promote_to === '' ? {} : { promote_to }),
  }
}

function fateOf(rules: Fate): string {
  const day = lastDayOf(rules)
  if (day === undefined) return 'Never archived by itself.'
  const removal = rules.remove_after_seconds
  return removal === null || removal === undefined
    ? `Archived after ${countOf(day, 'day')} without a recall, and never removed.`
    : `Archived after ${countOf(day, 'day')} without a recall, and removed ${countOf(Math.round(removal / DAY_SECONDS), 'day')} later.`
}
