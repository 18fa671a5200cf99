/** A Neo4j to work with. Disposing gives it back: a managed one is stopped, the others run on. */
export type Database = {
  uri: string
  username: string
  password: string
  database: string
  provider: 'external' | 'docker' | 'managed'
  summary: string
} & AsyncDisposable
