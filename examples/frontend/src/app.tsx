import { type FormEvent, useEffect, useState } from 'react'
import { Finder } from './finder.tsx'
import { follow, type Way } from './live.ts'
import { MemoryView } from './memory.tsx'
import { type Access, keepAccess, readAccess } from './service.ts'

export function App() {
  const [access, setAccess] = useState(readAccess)
  return access ? (
    <Memories access={access} />
  ) : (
    <SignIn
      give={given => {
        keepAccess(given)
        setAccess(given)
      }}
    />
  )
}

/** In production, put the sign-in of your OpenID Connect issuer here, and use its access token. */
function SignIn({ give }: { give(access: Access): void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = (name: string) => String(new FormData(event.currentTarget).get(name))
    give({ url: text('url').replace(/\/$/, ''), token: text('token'), tenant: text('tenant') })
  }
  return (
    <form onSubmit={submit}>
      <label>
        Service <input name="url" type="url" required defaultValue="http://127.0.0.1:4545" />
      </label>
      <label>
        Token <input name="token" type="password" required autoComplete="off" />
      </label>
      <label>
        Tenant <input name="tenant" />
      </label>
      <button type="submit">Sign in</button>
    </form>
  )
}

function Memories({ access }: { access: Access }) {
  const [way, setWay] = useState<Way>('events')
  const [selected, select] = useState<string>()
  const { state, changes } = useChanges(access, way)
  return (
    <main>
      <label>
        Follow by{' '}
        <select value={way} onChange={event => setWay(event.target.value as Way)}>
          <option value="events">events</option>
          <option value="websocket">websocket</option>
        </select>
      </label>
      <p role="status">{state}</p>
      {selected === undefined ? (
        <Finder access={access} changes={changes} select={select} />
      ) : (
        <MemoryView key={selected} access={access} id={selected} changes={changes} select={select} />
      )}
    </main>
  )
}

/** Counts the changes, so that views read again. */
function useChanges(access: Access, way: Way): { state: string; changes: number } {
  const [changes, setChanges] = useState(0)
  const [state, setState] = useState('Connecting')
  useEffect(() => {
    const ending = new AbortController()
    setState('Connecting')
    const listener = {
      open: () => setState(`Following by ${way}`),
      changed: () => setChanges(count => count + 1),
    }
    follow(access, way, listener, ending.signal).catch(() => {
      if (!ending.signal.aborted) setState('Not following')
    })
    return () => ending.abort()
  }, [access, way])
  return { state, changes }
}
