import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { forgetAccess, readAccess } from '../shared/access.ts'
import { addressOf } from '../shared/place.ts'
import { switchTheme } from '../shared/theme.ts'
import { useAllowed } from './allowed.ts'
import { client, isRefused, wordsOf } from './api.ts'
import { CareView } from './care.tsx'
import { NewMemory } from './editor.tsx'
import { forgetPlaces } from './graph/layout.ts'
import { GraphView } from './graph/view.tsx'
import { useLive } from './live.ts'
import { MemoriesView } from './memories.tsx'
import { MemoryView } from './memory.tsx'
import { OperationsView } from './operations.tsx'
import { OverviewView } from './overview.tsx'
import { SignIn } from './session.tsx'
import { UpkeepView } from './upkeep.tsx'
import { Welcome } from './welcome.tsx'

/** Asks for a key first; a key that the service refuses leads back there. */
export function App() {
  const queries = useQueryClient()
  const [entries, setEntries] = useState(0)
  const access = readAccess()
  const stats = useQuery({
    queryKey: ['stats', entries],
    queryFn: ({ signal }) => client().getStats({}, { signal }),
    enabled: access !== undefined,
  })
  const opened = () => {
    queries.clear()
    forgetPlaces()
    setEntries(entries + 1)
  }
  const isRejected = isRefused(stats.error, 401, 403, 429)
  if (!access || isRejected)
    return <SignIn key={entries} complaint={isRejected ? wordsOf(stats.error) : ''} opened={opened} />
  const leave = () => {
    forgetAccess()
    opened()
  }
  const isEmpty = stats.data !== undefined && stats.data.memories.total === 0
  return <Shell key={entries} tenant={access.tenant || 'default'} isEmpty={isEmpty} leave={leave} />
}

const views = [
  ['/memories', 'Memories'],
  ['/graph', 'Graph'],
  ['/overview', 'Overview'],
  ['/upkeep', 'Upkeep'],
  ['/operations', 'Operations'],
] as const

function Shell({ tenant, isEmpty, leave }: { tenant: string; isEmpty: boolean; leave: () => void }) {
  const [location] = useLocation()
  const isLive = useLive()
  const isAdmin = useAllowed('admin')
  const mayWrite = useAllowed('write')
  const shown = views.filter(([path]) => isAdmin || !['/upkeep', '/operations'].includes(path))
  return (
    <div className="shell">
      <header className="bar">
        <h1 className="brand">
          Mnemograph <small>Console</small>
        </h1>
        <nav aria-label="Views">
          {shown.map(([path, name]) => (
            <Link key={path} href={path} aria-current={location.startsWith(path) ? 'page' : undefined}>
              {name}
            </Link>
          ))}
          <a href={addressOf('/graphiql')}>GraphiQL</a>
        </nav>
        <span className="spring" />
        <span className={isLive ? 'live on' : 'live'} role="status">
          {isLive ? 'Live' : 'Not live'}
        </span>
        {mayWrite && (
          <Link href="/new" className="button primary">
            New memory
          </Link>
        )}
        <Theme />
        <button type="button" onClick={leave} title="Use another key or tenant">
          Tenant: {tenant}
        </button>
      </header>
      <main>
        <Switch>
          <Route path="/memories">{isEmpty ? <Welcome /> : <MemoriesView />}</Route>
          <Route path="/memories/:id">{({ id }) => <MemoryView key={id} id={id} />}</Route>
          <Route path="/new" component={NewMemory} />
          <Route path="/graph">{isEmpty ? <Welcome /> : <GraphView />}</Route>
          <Route path="/overview" component={OverviewView} />
          <Route path="/insights/:figure">{({ figure }) => <CareView key={figure} figure={figure} />}</Route>
          <Route path="/upkeep" component={UpkeepView} />
          <Route path="/operations" component={OperationsView} />
          <Route>
            <Redirect to="/memories" replace />
          </Route>
        </Switch>
      </main>
    </div>
  )
}

function Theme() {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (button.current) switchTheme(button.current, () => {})
  }, [])
  return <button ref={button} type="button" />
}
