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

function Tenants({ open }: { open: (tenant: string) => void }) {
  const [typed, setTyped] = useState('')
  const found = useQuery({
    queryKey: ['tenants'],
    queryFn: ({ signal }) => client().listTenants({ limit: 500 }, { signal }),
  })
  const names = found.data?.tenants.map(each => each.tenant).filter(name => name.includes(typed)) ?? []
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
