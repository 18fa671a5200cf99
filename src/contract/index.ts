import type { z } from 'zod'
import { auditRoutes } from './audit.ts'
import { changeRoutes } from './changes.ts'
import { communityRoutes } from './communities.ts'
import { conflictRoutes } from './conflicts.ts'
import { connectionRoutes } from './connections.ts'
import { contextRoutes } from './context.ts'
import { cypherRoutes } from './cypher.ts'
import { embeddingRoutes } from './embeddings.ts'
import { erasureRoutes } from './erasures.ts'
import { extractionRoutes } from './extraction.ts'
import { graphRoutes } from './graph.ts'
import { groupRoutes } from './groups.ts'
import { historyRoutes } from './history.ts'
import { insightRoutes } from './insights.ts'
import { jobRoutes } from './jobs.ts'
import { keyRoutes } from './keys.ts'
import { maintenanceRoutes } from './maintenance.ts'
import { memoryRoutes } from './memories.ts'
import { policyRoutes } from './policies.ts'
import { portabilityRoutes } from './portability.ts'
import { queueRoutes } from './queue.ts'
import { recordRoutes } from './records.ts'
import type { TextStream } from './route.ts'
import { searchRoutes } from './search.ts'
import { systemRoutes } from './system.ts'
import { tenantRoutes } from './tenants.ts'
import { turnRoutes } from './turns.ts'
import { valueRoutes } from './values-in-use.ts'
import { webhookRoutes } from './webhooks.ts'

/** The operations by the headings under which documents show them. */
const groups = {
  Memories: {
    ...memoryRoutes,
    ...turnRoutes,
    ...extractionRoutes,
    ...historyRoutes,
    ...valueRoutes,
    ...groupRoutes,
    ...searchRoutes,
    ...contextRoutes,
  },
  Graph: { ...graphRoutes, ...communityRoutes, ...insightRoutes, ...cypherRoutes },
  Connections: { ...connectionRoutes, ...conflictRoutes },
  Changes: changeRoutes,
  Webhooks: webhookRoutes,
  Lifecycle: { ...policyRoutes, ...maintenanceRoutes, ...erasureRoutes },
  Portability: portabilityRoutes,
  Administration: {
    ...keyRoutes,
    ...jobRoutes,
    ...tenantRoutes,
    ...recordRoutes,
    ...auditRoutes,
    ...queueRoutes,
    ...embeddingRoutes,
  },
  Service: systemRoutes,
}

/** Every operation of the service, by its only name. */
export const routes = {
  ...groups.Memories,
  ...groups.Graph,
  ...groups.Connections,
  ...groups.Changes,
  ...groups.Webhooks,
  ...groups.Lifecycle,
  ...groups.Portability,
  ...groups.Administration,
  ...groups.Service,
}

export const groupOf = (name: RouteName): string =>
  Object.entries(groups).find(([, routes]) => name in routes)?.[0] ?? ''

type Routes = typeof routes
export type RouteName = keyof Routes
/** What a caller sends. */
export type Input<Name extends RouteName> = z.input<Routes[Name]['input']>
/** What a handler receives: checked, defaults filled in. */
export type Parsed<Name extends RouteName> = z.output<Routes[Name]['input']>
export type Output<Name extends RouteName> = z.output<Routes[Name]['output']>

/** The operations that return a stream. Only REST and the client have them. */
export type StreamName = { [Name in RouteName]: Output<Name> extends TextStream ? Name : never }[RouteName]

export const isStream = (name: RouteName): name is StreamName => 'mediaTypes' in routes[name]

export const routeNames = Object.keys(routes) as RouteName[]
