import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { scopes as allScopes, type Scope } from '../../../../contract/route.ts'
import { useAct } from '../../data/acting.ts'
import { client, wordsOf } from '../../data/client.ts'
import { Secret } from '../../parts/secret.tsx'
import { Table } from '../../parts/table.tsx'
import { Card, Empty } from '../../parts/ui.tsx'
import { shortTime } from '../../parts/words.ts'

/** The keys of the tenant: one for each agent and application. */
export function KeysView() {
  const act = useAct()
  const [secret, setSecret] = useState('')
  const found = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => client().listKeys({}, { signal }),
  })
  const keys = found.data?.keys ?? []
  const rotate = (id: string) =>
    act('Made a new key; the old one stays valid for a day.', async () => {
      setSecret((await client().rotateKey({ id })).key)
    })
  return (
    <div className="page">
      <Card title="New key">
        <NewKey made={setSecret} />
        <Secret secret={secret} />
      </Card>
      <Card title="Keys">
        {found.error && <p role="alert">{wordsOf(found.error)}</p>}
        {found.data && keys.length === 0 && (
          <Empty title="No key yet">
            <p>
              Give each agent a key of its own, with only the scopes that it needs. Name it above, then choose
              Make a key.
            </p>
          </Empty>
        )}
        {keys.length > 0 && (
          <Table columns={['Name', 'Scopes', 'Owner', 'Last used', 'Expires', '']}>
            {keys.map(({ id, name, scopes, owner, last_used_at, expires_at }) => (
              <tr key={id}>
                <td>{name ?? 'without a name'}</td>
                <td>{scopes.join(', ')}</td>
                <td>{owner ?? '–'}</td>
                <td>{last_used_at === null ? 'never' : shortTime(last_used_at)}</td>
                <td>{expires_at === null ? 'never' : shortTime(expires_at)}</td>
                <td className="end">
                  <button type="button" aria-label={`Rotate ${name ?? id}`} onClick={() => rotate(id)}>
                    Rotate
                  </button>{' '}
                  <button
                    type="button"
                    aria-label={`Revoke ${name ?? id}`}
                    onClick={() => act('Revoked.', () => client().deleteKey({ id }))}
                  >
                    Revoke
                  </button>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Card>
    </div>
  )
}

function NewKey({ made }: { made: (secret: string) => void }) {
  const act = useAct()
  const [name, setName] = useState('')
  const [owner, setOwner] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(['read', 'write'])
  const create = (event: FormEvent) => {
    event.preventDefault()
    void act('Made a key.', async () => {
      const { key } = await client().createKey({
        scopes: [...scopes],
        ...(name ? { name } : {}),
        ...(owner ? { owner } : {}),
      })
      made(key)
      setName('')
      setOwner('')
    })
  }
  const toggle = (scope: Scope) =>
    setScopes(before => (before.includes(scope) ? before.filter(each => each !== scope) : [...before, scope]))
  return (
    <form className="actions" onSubmit={create}>
      <input
        aria-label="Name of the key"
        placeholder="What it is for"
        value={name}
        onChange={event => setName(event.target.value)}
      />
      <input
        aria-label="Owner of the key"
        placeholder="Owner, if it is personal"
        title="A key of an owner reads and writes the private memories of that owner, and the shared ones. 1 to 64 of a-z 0-9 _ -"
        pattern="[a-z0-9_\-]{1,64}"
        value={owner}
        onChange={event => setOwner(event.target.value)}
      />
      {allScopes.map(scope => (
        <label key={scope} className="check">
          <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} /> {scope}
        </label>
      ))}
      <button type="submit" className="primary" disabled={scopes.length === 0}>
        Make a key
      </button>
    </form>
  )
}
