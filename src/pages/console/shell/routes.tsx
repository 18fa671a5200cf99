import { type ComponentType, lazy, Suspense } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { useFirst } from '../data/first.ts'
import { Loading } from '../parts/ui.tsx'
import { MemoriesView } from '../views/memories/view.tsx'
import { Welcome } from '../views/start/welcome.tsx'

/** A view that is loaded when it is opened. */
const view = <Name extends string, Props>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
) => lazy(async () => ({ default: (await load())[name] }))

const GraphView = view(() => import('../views/graph/view.tsx'), 'GraphView')
const MemoryView = view(() => import('../views/memory/view.tsx'), 'MemoryView')
const NewMemory = view(() => import('../views/memory/new.tsx'), 'NewMemory')
const OverviewView = view(() => import('../views/overview/view.tsx'), 'OverviewView')
const CareView = view(() => import('../views/overview/care.tsx'), 'CareView')
const MaintenanceView = view(() => import('../views/maintenance/view.tsx'), 'MaintenanceView')
const OperationsView = view(() => import('../views/operations/view.tsx'), 'OperationsView')
const WebhooksView = view(() => import('../views/operations/webhooks.tsx'), 'WebhooksView')
const KeysView = view(() => import('../views/operations/keys.tsx'), 'KeysView')
const CypherView = view(() => import('../views/cypher/view.tsx'), 'CypherView')

/** An empty tenant shows how to get the first memories in. */
export function Views() {
  const isEmpty = useFirst() === null
  return (
    <Suspense fallback={<Loading />}>
      <Switch>
        <Route path="/memories">{isEmpty ? <Welcome /> : <MemoriesView />}</Route>
        <Route path="/memories/:id">{({ id }) => <MemoryView key={id} id={id} />}</Route>
        <Route path="/new" component={NewMemory} />
        <Route path="/graph">{isEmpty ? <Welcome /> : <GraphView />}</Route>
        <Route path="/overview">{isEmpty ? <Welcome /> : <OverviewView />}</Route>
        <Route path="/insights/:figure">{({ figure }) => <CareView key={figure} figure={figure} />}</Route>
        <Route path="/cypher" component={CypherView} />
        <Route path="/maintenance" component={MaintenanceView} />
        <Route path="/operations" component={OperationsView} />
        <Route path="/webhooks" component={WebhooksView} />
        <Route path="/keys" component={KeysView} />
        <Route>
          <Redirect to="/memories" replace />
        </Route>
      </Switch>
    </Suspense>
  )
}
