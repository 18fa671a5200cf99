/** A memory of another tool, named by a key of that tool. */
export type FoundMemory = {
  key: string
  content: string
  tags: readonly string[]
  source?: string | null | undefined
  sessionId?: string | null | undefined
  /** Values that are neither texts, numbers nor truth values are lost. */
  metadata?: Readonly<Record<string, unknown>>
  validFrom?: string | null | undefined
  validUntil?: string | null | undefined
  createdAt: string
  updatedAt?: string
  /** When it was replaced. */
  archivedAt?: string | undefined
}

/** A relation of another tool, under the name that it has there. */
type FoundConnection = {
  source: string
  target: string
  name: string
  createdAt: string
  strength?: number | null
}

/** What a source holds, and what of it cannot be kept, in words with how often. */
export type ImportSource = {
  memories: FoundMemory[]
  connections: FoundConnection[]
  losses: Map<string, number>
}

export const nothingFound = (): ImportSource => ({ memories: [], connections: [], losses: new Map() })

export function lose({ losses }: ImportSource, what: string, times = 1) {
  if (times > 0) losses.set(what, (losses.get(what) ?? 0) + times)
}

/** The source does not have the given format. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}
