import { ArrowDown, ArrowUp, Columns3 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useAddress } from '../../data/address.ts'
import type { Found, orders } from '../../data/finding.ts'
import { Dropdown, Menu } from '../../parts/ui.tsx'
import { shortTime } from '../../parts/words.ts'

type Column = {
  name: string
  width: string
  order?: (typeof orders)[number]
  show: (found: Found) => ReactNode
}

const columns = {
  tags: {
    name: 'Tags',
    width: '150px',
    show: ({ memory }) => memory.tags.slice(0, 2).map(tag => <Tag key={tag} tag={tag} />),
  },
  policy: {
    name: 'Policy',
    width: '84px',
    show: ({ memory }) => (memory.state === 'archived' ? 'archived' : memory.policy),
  },
  source: { name: 'Source', width: '120px', show: ({ memory }) => memory.source },
  kind: { name: 'Kind', width: '80px', show: ({ memory }) => memory.kind },
  importance: {
    name: 'Importance',
    width: '84px',
    order: 'importance',
    show: ({ memory }) => memory.importance.toFixed(2),
  },
  health: {
    name: 'Health',
    width: '64px',
    order: 'health',
    show: ({ memory }) => Math.round(memory.health),
  },
  recalled: {
    name: 'Recalled',
    width: '116px',
    order: 'last_recalled_at',
    show: ({ memory }) => shortTime(memory.last_recalled_at),
  },
  changed: {
    name: 'Changed',
    width: '88px',
    order: 'updated_at',
    show: ({ memory }) => memory.updated_at.slice(0, 10),
  },
  created: {
    name: 'Created',
    width: '88px',
    order: 'created_at',
    show: ({ memory }) => memory.created_at.slice(0, 10),
  },
} as const satisfies Record<string, Column>

type Name = keyof typeof columns
const names = Object.keys(columns) as Name[]

const PLACE = 'mnemograph.columns'
const usual: readonly Name[] = ['tags', 'policy', 'created']
/** Narrow windows show the text alone. */
const NARROW_PX = 700

/** The columns that are shown, kept in this browser. */
export function useColumns() {
  const [shown, setShown] = useState<readonly string[]>(
    () => localStorage.getItem(PLACE)?.split(',') ?? usual,
  )
  const toggle = (name: Name) => {
    const after = shown.includes(name) ? shown.filter(each => each !== name) : [...shown, name]
    localStorage.setItem(PLACE, after.join(','))
    setShown(after)
  }
  const wide = innerWidth >= NARROW_PX ? names.filter(name => shown.includes(name)) : []
  const template = (isSearch: boolean) =>
    ['16px', 'minmax(0, 1fr)', ...(isSearch ? ['64px'] : []), ...wide.map(name => columns[name].width)].join(
      ' ',
    )
  return { shown: wide, toggle, template }
}

export type Columns = ReturnType<typeof useColumns>

export const cellsOf = (shown: readonly Name[], found: Found) =>
  shown.map(name => (
    <span key={name} className="cell">
      {(columns[name] as Column).show(found)}
    </span>
  ))

const Tag = ({ tag }: { tag: string }) => <span className="tag">{tag}</span>

/** The names of the columns. A click on one orders a list by it; hits are ordered by their relevance. */
export function HeadRow({
  shown,
  template,
  isSearch,
}: Pick<Columns, 'shown' | 'template'> & { isSearch: boolean }) {
  return (
    <div className="row head" style={{ gridTemplateColumns: template(isSearch) }}>
      <span />
      <span className="cell">Memory</span>
      {isSearch && <span className="cell">Relevance</span>}
      {shown.map(name => (
        <Head key={name} column={columns[name]} isSearch={isSearch} />
      ))}
    </div>
  )
}

function Head({ column: { name, order }, isSearch }: { column: Column; isSearch: boolean }) {
  const { get, set } = useAddress()
  if (!order || isSearch) return <span className="cell">{name}</span>
  const isOrder = (get('order') || 'created_at') === order
  const isUp = get('ascending') !== ''
  const Arrow = isUp ? ArrowUp : ArrowDown
  return (
    <button
      type="button"
      className="quiet"
      aria-label={`Order by ${name.toLowerCase()}`}
      onClick={() => set({ order, ascending: isOrder && !isUp ? 'yes' : '' })}
    >
      {name} {isOrder && <Arrow size={12} aria-hidden />}
    </button>
  )
}

export const ColumnMenu = ({ shown, toggle }: Pick<Columns, 'shown' | 'toggle'>) => (
  <Dropdown
    trigger={
      <button type="button" className="quiet">
        <Columns3 size={14} aria-hidden /> Columns
      </button>
    }
  >
    {names.map(name => (
      <Menu.CheckboxItem
        key={name}
        checked={shown.includes(name)}
        onCheckedChange={() => toggle(name)}
        onSelect={event => event.preventDefault()}
      >
        {columns[name].name}
      </Menu.CheckboxItem>
    ))}
  </Dropdown>
)
