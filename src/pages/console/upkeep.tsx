import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import type { Output } from '../../contract/index.ts'
import { useAct } from './acting.ts'
import { client, wordsOf } from './api.ts'
import { filtersOf } from './finding.ts'
import { Head } from './head.tsx'
import { firstLine } from './memories.tsx'
import { useNotices } from './notices.tsx'
import { Policies } from './policies.tsx'
import { shortTime } from './words.ts'

const kinds = [
  ['lifecycle', 'What the policies ask for: fading, archiving, removing'],
  ['forget', 'Archive all memories that match a filter'],
  ['merge', 'Join near duplicates'],
] as const

type Kind = (typeof kinds)[number][0]
type Plan = Output<'planMaintenance'>

/** Contradictions, plans with a preview, policies, and runs that can be taken back. */
export function UpkeepView() {
  return (
    <div className="page">
      <Conflicts />
      <Planning />
      <Policies />
      <Runs />
    </div>
  )
}

function Conflicts() {
  const act = useAct()
  const found = useInfiniteQuery({
    queryKey: ['conflicts'],
    queryFn: ({ pageParam, signal }) => client().listConflicts({ limit: 20, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: last => last.next_cursor ?? undefined,
  })
  const resolve = (keep_id: string, archive_id: string) =>
    act(
      'One was archived.',
      () => client().resolveConflict({ keep_id, archive_id }),
      () => client().restoreMemory({ id: archive_id }),
    )
  const pairs = found.data?.pages.flatMap(({ conflicts }) => conflicts) ?? []
  return (
    <section className="card">
      <h3>Contradictions</h3>
      {pairs.length === 0 && <p className="hint">None.</p>}
      {pairs.map(({ source, target }) => (
        <div className="pair" key={`${source.id} ${target.id}`}>
          {[
            [source, target],
            [target, source],
          ].map(([one, other]) =>
            one && other ? (
              <p key={one.id}>
                <Link href={`/memories/${one.id}`}>{firstLine(one)}</Link>{' '}
                <button type="button" onClick={() => resolve(one.id, other.id)}>
                  Keep this one
                </button>
              </p>
            ) : null,
          )}
        </div>
      ))}
      {found.hasNextPage && (
        <button type="button" onClick={() => void found.fetchNextPage()}>
          Show more
        </button>
      )}
    </section>
  )
}

function Planning() {
  const act = useAct()
  const { complain } = useNotices()
  const [kind, setKind] = useState<Kind>('lifecycle')
  const [filters, setFilters] = useState({ tags: '', source: '' })
  const [at, setAt] = useState('')
  const [plan, setPlan] = useState<Plan>()
  const ask = async (event: FormEvent) => {
    event.preventDefault()
    const chosen = filtersOf(name => (name === 'tags' || name === 'source' ? filters[name] : ''))
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
      ({ applied }) => `Applied ${applied} changes.`,
      async () => {
        const done = await client().applyMaintenance({ id })
        setPlan(undefined)
        return done
      },
      () => client().undoMaintenance({ id }),
    )
  return (
    <section className="card">
      <h3>Plan</h3>
      <form onSubmit={ask} className="plan">
        <fieldset>
          <legend className="visually-hidden">What for</legend>
          {kinds.map(([name, words]) => (
            <label key={name}>
              <input type="radio" name="kind" checked={kind === name} onChange={() => setKind(name)} />{' '}
              {words}
            </label>
          ))}
        </fieldset>
        {kind === 'lifecycle' ? (
          <label>
            What if it were
            <input type="date" value={at} onChange={event => setAt(event.target.value)} />
          </label>
        ) : (
          <>
            <label>
              Tags
              <input
                value={filters.tags}
                onChange={event => setFilters({ ...filters, tags: event.target.value })}
              />
            </label>
            <label>
              Source
              <input
                value={filters.source}
                onChange={event => setFilters({ ...filters, source: event.target.value })}
              />
            </label>
          </>
        )}
        <button type="submit" className="primary">
          Show what would happen
        </button>
      </form>
      {plan && <Preview plan={plan} apply={apply} />}
    </section>
  )
}

const SHOWN = 100

function Preview({ plan, apply }: { plan: Plan; apply: (id: string) => void }) {
  const { changes, plan_id, truncated } = plan
  if (changes.length === 0) return <p role="status">Nothing would happen.</p>
  return (
    <div role="status">
      <p>
        {changes.length} memories would change{truncated ? ', and there are more' : ''}.{' '}
        {plan_id ? (
          <button type="button" className="primary" onClick={() => apply(plan_id)}>
            Apply exactly this
          </button>
        ) : (
          'This is a simulation.'
        )}
      </p>
      <table>
        <Head columns={['Change', 'Memory', 'Why']} />
        <tbody>
          {changes.slice(0, SHOWN).map(({ memory_id, change, reason }) => (
            <tr key={memory_id}>
              <td>{change}</td>
              <td>
                <Link href={`/memories/${memory_id}`}>{memory_id}</Link>
              </td>
              <td>{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Runs() {
  const act = useAct()
  const found = useQuery({
    queryKey: ['runs'],
    queryFn: ({ signal }) => client().listMaintenanceRuns({ limit: 20 }, { signal }),
  })
  const runs = found.data?.runs ?? []
  return (
    <section className="card">
      <h3>Plans and runs</h3>
      {found.error && <p role="alert">{wordsOf(found.error)}</p>}
      {runs.length === 0 && <p className="hint">None.</p>}
      <ul className="runs">
        {runs.map(({ id, kind, state, origin, at }) => (
          <li key={id} className={state}>
            {shortTime(at)} · {kind} · {origin} · <strong>{state}</strong>{' '}
            {(state === 'planned' || state === 'waiting') && (
              <button type="button" onClick={() => act('Applied.', () => client().applyMaintenance({ id }))}>
                Apply
              </button>
            )}
            {state === 'applied' && (
              <button type="button" onClick={() => act('Undone.', () => client().undoMaintenance({ id }))}>
                Undo
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
