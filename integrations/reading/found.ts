/** A memory of another tool, named by a key of that tool. Times are in RFC 3339. */
export type ImportedEntry = {
  key: string
  /** Where it stands in the source, for people. */
  place: string
  content: string
  tags: readonly string[]
  source?: string | null | undefined
  sessionId?: string | null | undefined
  /** A list or an object is kept as JSON. */
  metadata?: Readonly<Record<string, unknown>>
  validFrom?: string | null | undefined
  validUntil?: string | null | undefined
  createdAt: string
  updatedAt?: string | undefined
  /** When it was replaced. */
  archivedAt?: string | undefined
}

/** A relation of another tool, under the name that it has there. */
type FoundConnection = {
  source: string
  target: string
  place: string
  name: string
  createdAt: string
  strength?: number | null
  reason?: string | undefined
  validFrom?: string | undefined
  validUntil?: string | undefined
}

export type LeftOutEntry = { place: string; reason: string }

/** What a source holds; which entries of it are left out; and what of the others is kept in another form, with how often. */
export type ImportSource = {
  /** What the source was expected to hold, for people. */
  readonly expected: string
  memories: ImportedEntry[]
  connections: FoundConnection[]
  leftOut: LeftOutEntry[]
  losses: Map<string, number>
}

/** What a source that is a service of its own asks for. */
export type SourceAccess = {
  username: string
  secret: string
  group: string | undefined
  database: string
  signal: AbortSignal
}

export const nothingFound = (expected: string): ImportSource => ({
  expected,
  memories: [],
  connections: [],
  leftOut: [],
  losses: new Map(),
})

export function lose({ losses }: Pick<ImportSource, 'losses'>, what: string, times = 1) {
  if (times > 0) losses.set(what, (losses.get(what) ?? 0) + times)
}

export const leaveOut = ({ leftOut }: Pick<ImportSource, 'leftOut'>, place: string, reason: string) =>
  void leftOut.push({ place, reason })

/** The source does not have the given format, or nothing of it can be imported. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}
