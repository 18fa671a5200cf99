import { type FormEvent, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { keepAccess, readAccess, tenantOfAddress } from '../data/access.ts'
import { pathOf } from '../data/place.ts'

/** Goes to the same view of the tenant that was entered; without one the service says which it is. */
function goTo(tenant: string) {
  const { pathname, search } = location
  const named = tenantOfAddress()
  if (tenant === named) return
  const rest = pathname.startsWith(pathOf('')) ? pathname.slice(pathOf(named).length) : undefined
  if (rest !== undefined) navigate(`${pathOf(tenant)}${rest}${search}`, { replace: true })
  else navigate(`${pathname}${tenant ? `?tenant=${encodeURIComponent(tenant)}` : ''}`, { replace: true })
}

/** Asks for a key; it is kept in this tab until it is closed. */
export function SignIn({ complaint, opened }: { complaint: string; opened: () => void }) {
  const known = readAccess()
  const [key, setKey] = useState(known?.key ?? '')
  const [tenant, setTenant] = useState(tenantOfAddress() || (known?.tenant ?? ''))
  const enter = (event: FormEvent) => {
    event.preventDefault()
    keepAccess({ key: key.trim(), tenant: tenant.trim() })
    goTo(tenant.trim())
    opened()
  }
  return (
    <main className="sign-in-page">
      <form className="card" onSubmit={enter}>
        <h1>Mnemograph</h1>
        {complaint && (
          <p className="warning" role="alert">
            {complaint}
          </p>
        )}
        <label className="field">
          Key
          <input
            type="password"
            autoComplete="off"
            required
            pattern="\s*[!-~]+\s*"
            title="Letters, digits and signs of ASCII, without spaces"
            value={key}
            onChange={event => setKey(event.target.value)}
          />
        </label>
        <p className="hint">
          The start of the service prints one. In development it is also in .memory/development.key.
        </p>
        <label className="field">
          Tenant
          <input
            autoComplete="off"
            placeholder="default"
            pattern="[a-z0-9_\-]{1,64}(~[a-z0-9_\-]{1,64})?"
            title="1 to 64 of a-z 0-9 _ -, and for private memories ~ and the owner"
            value={tenant}
            onChange={event => setTenant(event.target.value)}
          />
        </label>
        <p className="hint">For the operator’s key. The key of a tenant knows its own.</p>
        <button type="submit" className="primary">
          Open
        </button>
        <p className="hint">The key stays in this tab, and is sent to no one but this service.</p>
      </form>
    </main>
  )
}
