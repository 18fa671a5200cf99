import {
  Activity,
  Braces,
  KeyRound,
  LayoutDashboard,
  Library,
  type LucideIcon,
  SquareTerminal,
  Waypoints,
  Webhook,
  Wrench,
} from 'lucide-react'
import type { Scope } from '../../../contract/route.ts'

export type View = { path: string; name: string; icon: LucideIcon; keys: string; needs?: Scope }

/** The views of the rail, in their order. */
export const views: readonly View[] = [
  { path: '/overview', name: 'Overview', icon: LayoutDashboard, keys: 'g o' },
  { path: '/memories', name: 'Memories', icon: Library, keys: 'g m' },
  { path: '/graph', name: 'Graph', icon: Waypoints, keys: 'g g' },
  { path: '/cypher', name: 'Cypher', icon: SquareTerminal, keys: 'g c', needs: 'cypher' },
  { path: '/graphiql', name: 'GraphiQL', icon: Braces, keys: 'g i' },
  { path: '/maintenance', name: 'Maintenance', icon: Wrench, keys: 'g t', needs: 'admin' },
  { path: '/operations', name: 'Operations', icon: Activity, keys: 'g s', needs: 'admin' },
  { path: '/webhooks', name: 'Webhooks', icon: Webhook, keys: 'g w', needs: 'admin' },
  { path: '/keys', name: 'Keys', icon: KeyRound, keys: 'g k', needs: 'admin' },
]
