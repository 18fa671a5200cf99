import { BookOpen, CircleHelp, Keyboard, LogOut, Menu as MenuIcon, Network, Plus, Search } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useScopes } from '../data/allowed.ts'
import { useLive } from '../data/live.ts'
import { addressOf } from '../data/place.ts'
import { hear, useShortcut } from '../parts/shortcuts.ts'
import { Dropdown, IconButton, Menu, Tip } from '../parts/ui.tsx'
import { hrefOf, useGo } from './going.ts'
import { Palette } from './palette.tsx'
import { ShortcutList } from './shortcut-list.tsx'
import { TenantMenu } from './tenant-menu.tsx'
import { chooseTheme, chosenTheme, type Theme, themes, useTheme } from './theme.ts'
import { Tour, useTour } from './tour.tsx'
import { type View, views } from './views.ts'

type Props = {
  tenant: string
  isOperator: boolean
  owner: string | null
  leave: () => void
  children: ReactNode
}

/** The rail, the bar, and what every view has in common: the palette, the shortcuts and the tour. */
export function Shell({ tenant, isOperator, owner, leave, children }: Props) {
  const allowed = useScopes()
  const isAdmin = allowed.includes('admin')
  const mayWrite = allowed.includes('write')
  const go = useGo()
  const [open, setOpen] = useState<'palette' | 'shortcuts'>()
  const tour = useTour()
  const shown = views.filter(({ needs }) => needs === undefined || allowed.includes(needs))
  const name = useName()
  const view = useFocusedView()
  useEffect(() => {
    document.title = `${name} · ${tenant} · Mnemograph`
  }, [name, tenant])
  useEffect(() => {
    addEventListener('keydown', hear)
    return () => removeEventListener('keydown', hear)
  }, [])
  useShortcut('Ctrl K', 'Find anything', () => setOpen('palette'))
  useShortcut('?', 'List the shortcuts', () => setOpen('shortcuts'))
  useShortcut('n', 'New memory', () => go('/new'), mayWrite)
  useShortcut('t', 'Switch the colours', nextTheme)
  return (
    <div className="shell">
      <Rail shown={shown} skip={() => view.current?.focus()} />
      <header className="bar">
        <TenantMenu {...{ tenant, isOperator, owner }} />
        <h1>{name}</h1>
        <span className="spring" />
        <button type="button" className="to-find" onClick={() => setOpen('palette')}>
          <Search size={14} aria-hidden /> <span>Find anything</span> <kbd aria-hidden>Ctrl K</kbd>
        </button>
        {mayWrite && (
          <a
            href={hrefOf('/new')}
            className="button primary new"
            onClick={event => {
              event.preventDefault()
              go('/new')
            }}
          >
            <Plus size={16} aria-hidden /> <span>New memory</span>
          </a>
        )}
        <MoreMenu leave={leave} list={() => setOpen('shortcuts')} tour={tour.begin} />
      </header>
      <main ref={view} tabIndex={-1}>
        {children}
      </main>
      <Palette
        open={open === 'palette'}
        change={isOpen => setOpen(isOpen ? 'palette' : undefined)}
        views={shown}
        actions={[
          ...(mayWrite ? [{ name: 'New memory', keys: 'n', run: () => go('/new') }] : []),
          ...(isAdmin ? plans.map(([name, path]) => ({ name, keys: '', run: () => go(path) })) : []),
          { name: 'Switch the colours', keys: 't', run: nextTheme },
          { name: 'List the shortcuts', keys: '?', run: () => setOpen('shortcuts') },
          { name: 'Take the tour', keys: '', run: tour.begin },
          { name: 'Use another key', keys: '', run: leave },
        ]}
      />
      <ShortcutList open={open === 'shortcuts'} close={() => setOpen(undefined)} />
      <Tour {...tour} />
    </div>
  )
}

const plans = [
  ['Forget memories', '/maintenance?tab=plan&kind=forget'],
  ['Merge duplicates', '/maintenance?tab=plan&kind=merge'],
] as const

/** Another view takes the focus, unless something in it has it already: Tab goes on from there. */
function useFocusedView() {
  const [path] = useLocation()
  const view = useRef<HTMLElement>(null)
  const before = useRef(path)
  useEffect(() => {
    if (before.current === path) return
    before.current = path
    if (!view.current?.contains(document.activeElement)) view.current?.focus({ preventScroll: true })
  }, [path])
  return view
}

/** The name of the view that is shown. */
function useName(): string {
  const [path] = useLocation()
  if (path.startsWith('/memories/')) return 'Memory'
  if (path === '/new') return 'New memory'
  if (path.startsWith('/insights/')) return 'Overview'
  return views.find(each => path.startsWith(each.path) || location.pathname.endsWith(each.path))?.name ?? ''
}

function Rail({ shown, skip }: { shown: readonly View[]; skip: () => void }) {
  const isLive = useLive()
  return (
    <aside className="rail" aria-label="Mnemograph">
      <button type="button" className="skip" onClick={skip}>
        Skip to the view
      </button>
      <div className="brand">
        <Network size={18} aria-hidden /> <span>Mnemograph</span>
      </div>
      <nav aria-label="Views">
        {shown.map(view => (
          <RailLink key={view.path} view={view} />
        ))}
      </nav>
      <span className="spring" />
      <span className={isLive ? 'live on' : 'live'} role="status">
        {isLive ? 'Live' : 'Not live'}
      </span>
    </aside>
  )
}

function RailLink({ view: { path, name, icon: Icon, keys } }: { view: View }) {
  const [location_] = useLocation()
  const go = useGo()
  useShortcut(keys, `Go to ${name}`, () => go(path))
  const isHere = location_.startsWith(path) || location.pathname.endsWith(path)
  const content = (
    <>
      <Icon size={16} aria-hidden /> <span>{name}</span>
    </>
  )
  const current = { 'aria-current': isHere ? ('page' as const) : undefined }
  const isWithin = path !== '/graphiql' && location.pathname.includes('/console')
  return (
    <Tip label={name}>
      {isWithin ? (
        <Link href={path} {...current}>
          {content}
        </Link>
      ) : (
        <a href={hrefOf(path)} {...current}>
          {content}
        </a>
      )}
    </Tip>
  )
}

const nextTheme = () => chooseTheme(themes[(themes.indexOf(chosenTheme()) + 1) % themes.length] ?? 'system')

function MoreMenu({ leave, list, tour }: { leave: () => void; list: () => void; tour: () => void }) {
  const theme = useTheme()
  return (
    <Dropdown trigger={<IconButton label="Menu" icon={MenuIcon} />}>
      <Menu.Label className="label">Colours</Menu.Label>
      <Menu.RadioGroup value={theme} onValueChange={value => chooseTheme(value as Theme)}>
        {themes.map(each => (
          <Menu.RadioItem key={each} value={each}>
            {each[0]?.toUpperCase() + each.slice(1)}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Label className="label">Help</Menu.Label>
      <Menu.Item onSelect={list}>
        <Keyboard size={14} aria-hidden /> Shortcuts
      </Menu.Item>
      <Menu.Item onSelect={tour}>
        <CircleHelp size={14} aria-hidden /> Take the tour
      </Menu.Item>
      <Menu.Item onSelect={() => location.assign(addressOf('/docs'))}>
        <BookOpen size={14} aria-hidden /> REST reference
      </Menu.Item>
      <Menu.Item onSelect={leave}>
        <LogOut size={14} aria-hidden /> Use another key
      </Menu.Item>
    </Dropdown>
  )
}
