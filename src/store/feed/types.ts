import type { Change } from '../../contract/changes.ts'

/** A change with its number in the feed of its tenant. */
export type NumberedChange = Omit<Change, 'cursor' | 'relevance'> & { number: number }

/** The last number given out, the last that is no longer kept, and whether there may be changes without a number. */
export type FeedBounds = { last: number; forgotten: number; more: boolean }

/** How much is to have a number. */
export type Numbered = { readonly after?: number; readonly count?: number }

/** A change that somebody wants. */
export type SelectedChange = NumberedChange & { readonly relevance: number | null }

/** The wanted changes after a position in the feed of a tenant, and the position up to which these are all. */
export type Batch = { readonly changes: readonly SelectedChange[]; readonly end: number }

/** A memory as a change is tested by it; times in milliseconds. */
export type Glimpse = {
  readonly id: string
  readonly version: number
  /** The version whose vector came later than its write, if there was one. */
  readonly lateVersion: number | null
  readonly live: boolean
  readonly policy: string
  readonly tags: readonly string[]
  readonly source: string | null
  readonly sessionId: string | null
  readonly kind: string | null
  readonly metadataKeys: readonly string[]
  readonly importance: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly validFrom: number | null
  readonly validUntil: number | null
  readonly vector: Float32Array | null
  /** Whether its text has a token. */
  readonly has: (token: string) => boolean
}
