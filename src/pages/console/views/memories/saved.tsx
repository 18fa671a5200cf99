import { Bookmark, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { tenantOfAddress } from '../../data/access.ts'
import { IconButton, Pop } from '../../parts/ui.tsx'

type Saved = { name: string; search: string }

/** Each tenant has views of its own, in this browser. */
const placeOf = () => `mnemograph.views.${tenantOfAddress()}`

const read = (): readonly Saved[] => JSON.parse(localStorage.getItem(placeOf()) ?? '[]')

/** Searches that were kept under a name. */
export function SavedViews({ search }: { search: string }) {
  const [, navigate] = useLocation()
  const [isOpen, setOpen] = useState(false)
  const [saved, setSaved] = useState(read)
  const [name, setName] = useState('')
  const keep = (after: readonly Saved[]) => {
    localStorage.setItem(placeOf(), JSON.stringify(after))
    setSaved(after)
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    keep([...saved.filter(each => each.name !== name.trim()), { name: name.trim(), search }])
    setName('')
  }
  return (
    <Pop
      label="Saved views"
      isForm
      open={isOpen}
      change={setOpen}
      trigger={
        <button type="button" className="quiet">
          <Bookmark size={14} aria-hidden /> Views
        </button>
      }
    >
      {saved.length === 0 && <p className="hint">Search or filter, then save it here under a name.</p>}
      <ul className="list">
        {saved.map(each => (
          <li key={each.name} className="actions">
            <button
              type="button"
              className="quiet"
              style={{ flex: 1 }}
              onClick={() => {
                setOpen(false)
                navigate(`/memories?${each.search}`)
              }}
            >
              {each.name}
            </button>
            <IconButton
              label={`Delete the view ${each.name}`}
              icon={X}
              onClick={() => keep(saved.filter(other => other !== each))}
            />
          </li>
        ))}
      </ul>
      <form className="actions" onSubmit={save}>
        <input
          required
          aria-label="Name of the view"
          placeholder="Name"
          value={name}
          onChange={event => setName(event.target.value)}
        />
        <button type="submit">Save this view</button>
      </form>
    </Pop>
  )
}
