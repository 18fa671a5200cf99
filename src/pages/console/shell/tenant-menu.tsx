import { useQuery } from '@tanstack/react-query'
import { ChevronsUpDown } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { baseTenant, privateTenant } from '../../../contract/private.ts'
import { client } from '../data/client.ts'
import { Pop } from '../parts/ui.tsx'
import { openTenant } from './going.ts'

type Props = { tenant: string; isOperator: boolean; owner: string | null }

/** The tenant; the operator goes to another one from here, and an owner to the private memories alone. */
export function TenantMenu({ tenant, isOperator, owner }: Props) {
  const [isOpen, setOpen] = useState(false)
  if (!isOperator && owner === null) return <strong>{tenant}</strong>
  const open = (name: string) => {
    setOpen(false)
    openTenant(name)
  }
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
      {owner === null ? <Tenants open={open} /> : <OwnTenants {...{ tenant, owner, open }} />}
    </Pop>
  )
}

type OwnProps = { tenant: string; owner: string; open: (tenant: string) => void }

function OwnTenants({ tenant, owner, open }: OwnProps) {
  const shared = baseTenant(tenant)
  const choices = [
    [shared, 'Shared, with your private memories'],
    [privateTenant(shared, owner), 'Your private memories alone'],
  ] as const
  return (
    <ul className="list" aria-label="Tenants">
      {choices.map(([name, words]) => (
        <li key={name}>
          <button type="button" className="quiet" onClick={() => open(name)}>
            {name}
          </button>
          <p className="hint">{words}</p>
        </li>
      ))}
    </ul>
  )
}

const SHOWN = 12
const NAME = /^[a-z0-9_-]{1,64}(~[a-z0-9_-]{0,64})?$/
const SIGNS = '-0123456789_abcdefghijklmnopqrstuvwxyz~'
const LONGEST = 64

const namesIn = (list: { tenants: readonly { tenant: string }[] } | undefined) =>
  list?.tenants.map(({ tenant }) => tenant) ?? []

/** The last name before all that begin with a text; undefined if there is none. */
function lastBefore(text: string): string | undefined {
  const rest = text.slice(0, -1)
  const sign = SIGNS[SIGNS.indexOf(text.slice(-1)) - 1]
  if (sign === undefined) return rest.replace(/~$/, '') || undefined
  const begun = `${rest}${sign}`
  return `${begun}${begun.includes('~') ? '' : '~'}`.padEnd(LONGEST, 'z')
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
        pattern="[a-z0-9_\-]{1,64}(~[a-z0-9_\-]{1,64})?"
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
