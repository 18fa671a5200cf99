import type { Neo4j, Rehearsal } from './statements.ts'

/** The same database for statements that are to be planned and run, and whose changes nobody is to see. */
export const rehearsalOf = (neo4j: Neo4j, rehearsal: Rehearsal = {}): Neo4j => ({
  get driver() {
    return neo4j.driver
  },
  database: neo4j.database,
  session: mode => neo4j.session(mode),
  behind: bookmarks => rehearsalOf(neo4j.behind(bookmarks), rehearsal),
  rehearsal,
  renew: () => neo4j.renew(),
  async [Symbol.asyncDispose]() {},
})
