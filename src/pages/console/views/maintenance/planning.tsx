import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import type { Output } from '../../../../contract/index.ts'
import { useAct } from '../../data/acting.ts'
import { useAddress } from '../../data/address.ts'
import { client } from '../../data/client.ts'
import { filtersOf } from '../../data/finding.ts'
import { useNotices } from '../../parts/notices.tsx'
import { Table } from '../../parts/table.tsx'
import { Card } from '../../parts/ui.tsx'
import { countOf } from '../../parts/words.ts'

const kinds = [
  ['lifecycle', 'Apply the policies', 'Memories fade, are archived and removed as their policies say.'],
  ['forget', 'Forget', 'Archives all memories that match the filters.'],
  [
    'merge',
    'Merge duplicates',
    'Archives near duplicates; the memory that stays takes over their tags and connections.',
  ],
] as const

type Kind = (typeof kinds)[number][0]
type Plan = Output<'planMaintenance'>

/** Shows what would happen before it happens. The kind is in the address. */
export function Planning() {
  const act = useAct()
  const { get, set } = useAddress()
  const { complain } = useNotices()
  const kind: Kind = kinds.find(([name]) => name === get('kind'))?.[0] ?? 'lifecycle'
  const [filters, setFilters] = useState({ tags: '', source: '', session: '' })
  const [at, setAt] = useState('')
  const [plan, setPlan] = useState<Plan>()
  const ask = async (event: FormEvent) => {
    event.preventDefault()
    const chosen = filtersOf(name => filters[name as keyof typeof filters] ?? '')
    try {
      setPlan(
        await client().planMaintenance({
          kind,
          ...(kind !== 'lifecycle' && Object.keys(chosen).length > 0 ? { filters: chosen } : {}),
          ...(kind === 'lifecycle' && at ? { at: `${at}T00:00:00Z` } : {}),
        }),
      )
    } catch (error) {
      complain(error)
    }
  }
  const apply = (id: string) =>
    act(
      ({ applied }) => `Applied ${countOf(applied, 'change')}.`,
      async () => {
        const done = await client().applyMaintenance({ id })
        setPlan(undefined)
        return done
      },
      () => client().undoMaintenance({ id }),
    )
  return (
    <Card title="Plan">
      <form onSubmit={ask} className="stack">
        <div className="columns" role="radiogroup" aria-label="What to plan">
          {kinds.map(([name, words, meaning]) => (
            <label key={name} className="check">
              <input
                type="radio"
                name="kind"
                checked={kind === name}
                onChange={() => {
                  setPlan(undefined)
                  set({ kind: name === 'lifecycle' ? '' : name })
                }}
              />
              <span>
                <strong>{words}</strong>
                <br />
                <span className="hint">{meaning}</span>
              </span>
            </label>
          ))}
        </div>
        <div className="fields">
          {kind === 'lifecycle' ? (
            <label className="field">
              On this day
              <input type="date" value={at} onChange={event => setAt(event.target.value)} />
            </label>
          ) : (
            (['tags', 'source', 'session'] as const).map(name => (
              <label key={name} className="field">
                {name[0]?.toUpperCase() + name.slice(1)}
                <input
                  value={filters[name]}
                  onChange={event => setFilters({ ...filters, [name]: event.target.value })}
                />
              </label>
            ))
          )}
        </div>
        <p className="actions">
          <button type="submit" className="primary">
            Show the plan
          </button>
        </p>
      </form>
      {plan && <Changes {...plan} id={plan.plan_id} apply={apply} />}
    </Card>
  )
}

const SHOWN = 100

type ChangesOf = {
  changes: Plan['changes']
  truncated?: boolean
  /** Null for what cannot be applied. */
  id: string | null
  apply: (id: string) => void
}

/** What a plan would do to each memory, and the way to do it. */
export function Changes({ changes, id, truncated, apply }: ChangesOf) {
  if (changes.length === 0) return <p role="status">Nothing would change.</p>
  return (
    <>
      <p role="status" className="actions">
        <span>
          {countOf(changes.length, 'memory', 'memories')} would change
          {truncated ? ', and there are more' : ''}.{!id && ' This is a simulation.'}
        </span>
        {id && (
          <button type="button" className="primary" onClick={() => apply(id)}>
            Apply the plan
          </button>
        )}
      </p>
      <Table columns={['Change', 'Memory', 'Why']}>
        {changes.slice(0, SHOWN).map(({ memory_id, change, reason }) => (
          <tr key={memory_id}>
            <td>{change}</td>
            <td>
              <Link href={`/memories/${memory_id}`}>{memory_id}</Link>
            </td>
            <td>{reason}</td>
          </tr>
        ))}
      </Table>
    </>
  )
}
