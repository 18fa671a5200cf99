import { ArrowDown, ArrowUp, Columns3 } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react'
import { useAddress } from '../../data/address.ts'
import type { Found, orders } from '../../data/finding.ts'
import { Dropdown, Menu } from '../../parts/ui.tsx'
import { shortTime } from '../../parts/words.ts'

type Column = {
  name: string
  /** In pixels, until somebody sets it. */
  width: number
  order?: (typeof orders)[number]
  show: (found: Found) => ReactNode
}

const columns = {
  tags: {
    name: 'Tags',
    width: 150,
    show: ({ memory }) => memory.tags.slice(0, 2).map(tag => <Tag key={tag} tag={tag} />),
  },
  policy: {
    name: 'Policy',
    width: 84,
    show: ({ memory }) => (memory.state === 'archived' ? 'archived' : memory.policy),
  },
  source: { name: 'Source', width: 120, show: ({ memory }) => memory.source },
  kind: { name: 'Kind', width: 80, show: ({ memory }) => memory.kind },
  owner: { name: 'Private to', width: 84, show: ({ memory }) => memory.owner },
  importance: {
    name: 'Importance',
    width: 84,
    order: 'importance',
    show: ({ memory }) => memory.importance.toFixed(2),
  },
  health: {
    name: 'Health',
    width: 64,
    order: 'health',
    show: ({ memory }) => Math.round(memory.health),
  },
  recalled: {
    name: 'Recalled',
    width: 116,
    order: 'last_recalled_at',
    show: ({ memory }) => shortTime(memory.last_recalled_at),
  },
  changed: {
    name: 'Changed',
    width: 88,
    order: 'updated_at',
    show: ({ memory }) => memory.updated_at.slice(0, 10),
  },
  created: {
    name: 'Created',
    width: 88,
    order: 'created_at',
    show: ({ memory }) => memory.created_at.slice(0, 10),
  },
} as const satisfies Record<string, Column>

type Name = keyof typeof columns
const names = Object.keys(columns) as Name[]

const PLACE = 'mnemograph.columns'
const WIDTHS = 'mnemograph.widths'
const [LEAST_PX, MOST_PX, STEP_PX] = [48, 480, 16]
const usual: readonly Name[] = ['tags', 'policy', 'created']
/** Narrow windows show the text alone. */
const NARROW_PX = 700

type Widths = Partial<Record<Name, number>>

/** The columns that are shown and their widths, kept in this browser. */
export function useColumns() {
  const [shown, setShown] = useState<readonly string[]>(
    () => localStorage.getItem(PLACE)?.split(',') ?? usual,
  )
  const toggle = (name: Name) => {
    const after = shown.includes(name) ? shown.filter(each => each !== name) : [...shown, name]
    localStorage.setItem(PLACE, after.join(','))
    setShown(after)
  }
  const [widths, setWidths] = useState<Widths>(() => JSON.parse(localStorage.getItem(WIDTHS) ?? '{}'))
  const resize = (name: Name, width: number | undefined) => {
    const { [name]: _before, ...others } = widths
    const bounded = width && Math.min(MOST_PX, Math.max(LEAST_PX, Math.round(width)))
    const after = bounded ? { ...others, [name]: bounded } : others
    localStorage.setItem(WIDTHS, JSON.stringify(after))
    setWidths(after)
  }
  const widthOf = (name: Name) => widths[name] ?? columns[name].width
  const areOffered = innerWidth >= NARROW_PX
  const wide = areOffered ? names.filter(name => shown.includes(name)) : []
  const template = (isSearch: boolean) =>
    ['16px', 'minmax(0, 1fr)', ...(isSearch ? ['64px'] : []), ...wide.map(name => `${widthOf(name)}px`)].join(
      ' ',
    )
  return { shown: wide, areOffered, toggle, template, widthOf, resize }
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
  widthOf,
  resize,
  isSearch,
}: Omit<Columns, 'toggle' | 'areOffered'> & { isSearch: boolean }) {
  return (
    <div className="row head" style={{ gridTemplateColumns: template(isSearch) }}>
      <span />
      <span className="cell">Memory</span>
      {isSearch && <span className="cell">Relevance</span>}
      {shown.map(name => (
        <span key={name} className="sized">
          <Grip
            label={`Width of ${columns[name].name.toLowerCase()}`}
            width={widthOf(name)}
            resize={width => resize(name, width)}
          />
          <Head column={columns[name]} isSearch={isSearch} />
        </span>
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

type GripProps = { label: string; width: number; resize: (width: number | undefined) => void }

/** The left edge of a column. Dragging or the arrow keys move it; a double click or Home gives the usual width. */
function Grip({ label, width, resize }: GripProps) {
  const held = useRef<number>(undefined)
  const hold = (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    held.current = event.clientX + width
  }
  const press = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowLeft') resize(width + STEP_PX)
    if (key === 'ArrowRight') resize(width - STEP_PX)
    if (key === 'Home') resize(undefined)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule of HTML cannot be moved
    <span
      className="grip"
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={LEAST_PX}
      aria-valuemax={MOST_PX}
      onPointerDown={hold}
      onPointerMove={({ clientX }) => held.current !== undefined && resize(held.current - clientX)}
      onPointerUp={() => {
        held.current = undefined
      }}
      onDoubleClick={() => resize(undefined)}
      onKeyDown={press}
    />
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
