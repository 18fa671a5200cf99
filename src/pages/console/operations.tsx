import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useAct } from './acting.ts'
import { client, wordsOf } from './api.ts'
import { Audit, Tenants } from './records.tsx'
import { Secret } from './secret.tsx'
import { Spaces } from './spaces.tsx'
import { Webhooks } from './webhooks.tsx'

const SCOPES = ['read', 'write', 'delete', 'admin'] as const
type Scope = (typeof SCOPES)[number]

/** Health, queue, embedding spaces, keys, webhooks, tenants and the audit log. */
export function OperationsView() {
  return (
    <div className="page">
      <Health />
      <Queue />
      <Spaces />
      <Keys />
      <Webhooks />
      <Tenants />
      <Audit />
    </div>
  )
}

function Health() {
  const found = useQuery({
    queryKey: ['ready'],
    queryFn: ({ signal }) => client().getReadiness({}, { signal }),
    refetchInterval: 10_000,
  })
  return (
    <section className="card">
      <h3>Health</h3>
      {found.error && <p role="alert">{wordsOf(found.error)}</p>}
      <ul className="checks">
        {Object.entries(found.data?.checks ?? {}).map(([name, check]) => (
          <li key={name} className={check.status}>
            <strong>{name}</strong> {check.status} {'detail' in check ? check.detail : ''}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Queue() {
  const act = useAct()
  const found = useQuery({
    queryKey: ['jobs'],
    queryFn: ({ signal }) => client().listJobs({ limit: 20, state: 'failed' }, { signal }),
  })
  const { counts = {}, jobs = [], paused_until } = found.data ?? {}
  const sums = Object.entries(counts).map(([state, count]) => `${count} ${state}`)
  const until = () => new Date(Date.now() + 3_600_000).toISOString()
  return (
    <section className="card">
      <h3>Queue</h3>
      <p>{sums.length > 0 ? sums.join(', ') : 'No jobs.'}</p>
      {paused_until && <p className="warning">Paused until {paused_until}.</p>}
      <ul>
        {jobs.map(({ id, kind, last_error }) => (
          <li key={id}>
            {kind}: {last_error}{' '}
            <button type="button" onClick={() => act('Queued again.', () => client().retryJob({ id }))}>
              Retry
            </button>
          </li>
        ))}
      </ul>
      <p className="actions">
        {jobs.length > 0 && (
          <button type="button" onClick={() => act('Queued again.', () => client().retryJobs({}))}>
            Retry all that failed
          </button>
        )}
        {paused_until ? (
          <button type="button" onClick={() => act('Resumed.', () => client().resumeQueue({}))}>
            Resume
          </button>
        ) : (
          <button
            type="button"
            onClick={() => act('Paused for an hour.', () => client().pauseQueue({ until: until() }))}
          >
            Pause for an hour
          </button>
        )}
      </p>
    </section>
  )
}

function Keys() {
  const act = useAct()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(['read', 'write'])
  const [secret, setSecret] = useState('')
  const found = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => client().listKeys({}, { signal }),
  })
  const create = (event: FormEvent) => {
    event.preventDefault()
    void act('Made a key.', async () => {
      const made = await client().createKey({ scopes: [...scopes], ...(name ? { name } : {}) })
      setSecret(made.key)
      setName('')
    })
  }
  const toggle = (scope: Scope) =>
    setScopes(before => (before.includes(scope) ? before.filter(each => each !== scope) : [...before, scope]))
  return (
    <section className="card">
      <h3>Keys</h3>
      <ul>
        {found.data?.keys.map(key => (
          <li key={key.id}>
            <strong>{key.name ?? 'without a name'}</strong> {key.scopes.join(', ')}, last used{' '}
            {key.last_used_at?.slice(0, 10) ?? 'never'}{' '}
            <button
              type="button"
              onClick={() =>
                act('Made a new key; the old one stays valid for a day.', async () => {
                  setSecret((await client().rotateKey({ id: key.id })).key)
                })
              }
              aria-label={`Rotate ${key.name ?? key.id}`}
            >
              Rotate
            </button>{' '}
            <button
              type="button"
              onClick={() => act('Revoked.', () => client().deleteKey({ id: key.id }))}
              aria-label={`Revoke ${key.name ?? key.id}`}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
      <form className="keys" onSubmit={create}>
        <input
          aria-label="Name of the key"
          placeholder="What it is for"
          value={name}
          onChange={event => setName(event.target.value)}
        />
        {SCOPES.map(scope => (
          <label key={scope}>
            <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} /> {scope}
          </label>
        ))}
        <button type="submit" disabled={scopes.length === 0}>
          Make a key
        </button>
      </form>
      <Secret secret={secret} />
    </section>
  )
}
