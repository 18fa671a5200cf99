import { useQuery } from '@tanstack/react-query'
import { ChevronsUpDown } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { client } from '../data/client.ts'
import { Pop } from '../parts/ui.tsx'
import { openTenant } from './going.ts'

/** The tenant; the operator goes to another one from here. */
export function TenantMenu({ tenant, isOperator }: { tenant: string; isOperator: boolean }) {
  const [isOpen, setOpen] = useState(false)
  if (!isOperator) return <strong>{tenant}</strong>
  return (
    <Pop
      label="Tenants"
      open={isOpen}
      change={setOpen}
      trigger={
        <button type="button" className="quiet" aria-label={`Tenant: ${tenant}`}>
          <strong>{tenant}</strong> <ChevronsUpDown size={14} aria-hidden />
        </button>
      }
    >
      <Tenants
        open={name => {
          setOpen(false)
          openTenant(name)
        }}
      />
    </Pop>
  )
}

const SHOWN = 12
const NAME = /^[a-z0-9_-]{1,64}$/
const SIGNS = '-0123456789_abcdefghijklmnopqrstuvwxyz'
const LONGEST = 64

const namesIn = (list: { tenants: readonly { tenant: string }[] } | undefined) =>
  list?.tenants.map(({ tenant }) => tenant) ?? []

/** The last name before all that begin with a text; undefined if there is none. */
function lastBefore(text: string): string | undefined {
  const rest = text.slice(0, -1)
  const sign = SIGNS[SIGNS.indexOf(text.slice(-1)) - 1]
  return sign === undefined ? rest || undefined : `${rest}${sign}`.padEnd(LONGEST, 'z')
}

function Tenants({ open }: { open: (tenant: string) => void }) {
  const [typed, setTyped] = useState('')
  const found = useQuery({
    queryKey: ['tenants'],
    queryFn: ({ signal }) => client().listTenants({ limit: 500 }, { signal }),
  })
  // There may be more tenants than a list shows.
  const begun = useQuery({
    queryKey: ['tenants', typed],
    queryFn: ({ signal }) => client().listTenants({ limit: SHOWN, after: lastBefore(typed) }, { signal }),
    enabled: NAME.test(typed),
  })
  const names = [
    ...new Set([
      ...namesIn(begun.data).filter(name => name.startsWith(typed)),
      ...namesIn(found.data).filter(name => name.includes(typed)),
    ]),
  ]
  const enter = (event: FormEvent) => {
    event.preventDefault()
    if (typed !== '') open(names[0] === undefined || names.includes(typed) ? typed : names[0])
  }
  return (
    <form onSubmit={enter} className="stack">
      <input
        aria-label="Find a tenant"
        placeholder="Find a tenant"
        pattern="[a-z0-9_\-]{1,64}"
        value={typed}
        onChange={event => setTyped(event.target.value)}
      />
      <ul className="list" aria-label="Tenants">
        {names.slice(0, SHOWN).map(name => (
          <li key={name}>
            <button type="button" className="quiet" onClick={() => open(name)}>
              {name}
            </button>
          </li>
        ))}
      </ul>
      {found.data && names.length === 0 && <p className="hint">Enter opens a new tenant.</p>}
    </form>
  )
}
