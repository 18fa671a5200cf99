import type { Context } from '../../context.ts'
import type { MaintenanceChange } from '../../contract/maintenance.ts'
import { fromJson } from '../neo4j/projections.ts'
import { int, intOrNull, time, timeOrNull } from '../neo4j/statements.ts'
import { keyProperties, policyProperties, scopeToken } from '../neo4j/tokens.ts'

/** What maintenance reads and writes of a memory; times in milliseconds, null where the property is missing. */
export type Figures = {
  state: 'active' | 'archived' | 'removed'
  policy: string
  health: number
  importance: number
  version: number
  updatedAt: number
  archivedAt: number | null
  archivedReason: string | null
  /** Until when the figures are computed; null is since it was made. */
  maintainedAt: number | null
  /** How many of the recalls are in the figures; null is none. */
  foldedRecalls: number | null
  /** The last run that changed it and was not undone. */
  lastRun: string | null
  /** The version that this run, or the undo of a later one, left. A memory of another version has changed since. */
  lastRunVersion: number | null
  /** Of a memory that takes over from others; its metadata as the graph keeps them. */
  given?: { tags: string[]; metadata: string | null }
}

export type LifecycleRow = Figures & {
  id: string
  createdAt: number
  expiresAt: number | null
  /** When a caller last set the importance. */
  importanceSince: number | null
  recallCount: number
  connections: number
  /** When the recalls came that are not in the figures yet. */
  recalls: number[]
}

/** A change as it is planned, with all that it was computed from and leads to. */
export type PlannedChange = Omit<MaintenanceChange, 'before' | 'after'> & {
  recallCount: number
  unfolded: number
  /** They go with a memory that is removed. */
  connections: number
  before: Figures
  after: Figures
  /** The memories from which it takes over. */
  mergedIds?: string[]
  /** The memory that replaces it, with the revisions of both contents for which that was proposed. */
  supersededBy?: { id: string; revision: number; ofRevision: number }
}

/** A map with nulls: what is null is taken off the node. */
export const figureProperties = (ctx: Context, figures: Figures) => ({
  state: figures.state === 'removed' ? 'archived' : figures.state,
  scope: scopeToken(ctx.tenant, figures.state === 'active' ? 'active' : 'archived'),
  ...policyProperties(figures.policy),
  health: figures.health,
  importance: figures.importance,
  version: int(figures.version),
  updatedAt: time(figures.updatedAt),
  archivedAt: timeOrNull(figures.archivedAt),
  archivedReason: figures.archivedReason,
  maintainedAt: timeOrNull(figures.maintainedAt),
  foldedRecalls: intOrNull(figures.foldedRecalls),
  lastRun: figures.lastRun,
  lastRunVersion: intOrNull(figures.lastRunVersion),
  ...(figures.given && givenProperties(figures.given)),
})

const givenProperties = ({ tags, metadata }: NonNullable<Figures['given']>) => ({
  tags,
  metadata,
  ...keyProperties({ tags, metadata: fromJson(metadata) }),
})
