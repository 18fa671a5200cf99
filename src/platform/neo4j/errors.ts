/** No Neo4j is available. The message says why, and what the operator can do. */
export class NoDatabaseError extends Error {
  override readonly name: string = 'NoDatabaseError'
}

/** Another service lives on the same data folder. Its process id is `holder` when it could be read. */
export class FolderInUseError extends NoDatabaseError {
  override readonly name = 'FolderInUseError'
  readonly holder: number | undefined

  constructor(folder: string, holder: number | undefined) {
    super(
      `${folder} is in use by another service${holder ? ` (process ${holder})` : ''}: stop it, or choose another SERVICE_DATA_DIR.`,
    )
    this.holder = holder
  }
}

/** This machine cannot run the managed Neo4j. The message says what is missing. */
export class ManagedNeo4jError extends NoDatabaseError {
  override readonly name = 'ManagedNeo4jError'
}

type Way = 'external' | 'docker' | 'managed'

/** The message when all ways to a Neo4j failed, or the one that is set: the reason for each, and the remedies. */
export const noneFound = (faults: readonly string[], set: Way | undefined) =>
  `No Neo4j to work with.\n${faults.map(fault => `  - ${fault}`).join('\n')}\n${set ? remedyOf(set) : all}`

const remedies: Record<Way, string> = {
  external: 'Set NEO4J_URI (and NEO4J_USERNAME, NEO4J_PASSWORD) to a running Neo4j 2026.02 or newer.',
  docker: 'Start a Docker engine with the compose plugin: the service then runs Neo4j in it.',
  managed: 'Install Java 21 or newer and Maven: the service then fetches Neo4j Community and runs it itself.',
}

const remedyOf = (set: Way) =>
  `SERVICE_NEO4J allows no other way than ${set}. ${remedies[set]} Or unset SERVICE_NEO4J.`

const all = `Any one of these helps:\n${Object.values(remedies)
  .map((remedy, at) => `  ${at + 1}. ${remedy}`)
  .join('\n')}`
