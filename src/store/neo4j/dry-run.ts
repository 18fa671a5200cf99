import type { Session } from 'neo4j-driver'
import type { Neo4j } from './attempts.ts'
import type { Parameters } from './statements.ts'

/**
 * Runs at the start of each transaction: Neo4j keeps one plan of a statement for transactions that have changed something
 * before it, and another for those that have not.
 */
export type Before = { readonly text: string; readonly parameters: Parameters }

/** The same database for statements that are to be planned and run: each transaction is rolled back at its end. */
export const rollingBack = (neo4j: Neo4j, before?: Before): Neo4j => ({
  get driver() {
    return neo4j.driver
  },
  database: neo4j.database,
  firstUses: neo4j.firstUses,
  session: mode => rolledBack(neo4j.session(mode), before),
  behind: bookmarks => rollingBack(neo4j.behind(bookmarks), before),
  renew: () => neo4j.renew(),
  async [Symbol.asyncDispose]() {},
})

type Config = globalThis.Parameters<Session['beginTransaction']>[0]

function rolledBack(session: Session, before?: Before): Session {
  const open = session.beginTransaction.bind(session)
  const begin = (config: Config) => {
    const transaction = open(config)
    transaction.commit = () => transaction.rollback()
    // If it fails, so does the statement behind it.
    if (before) transaction.run(before.text, before.parameters).catch(() => {})
    return transaction
  }
  const run = async (text: string, parameters: Parameters, config: Config) => {
    const transaction = begin(config)
    const result = await transaction.run(text, parameters)
    await transaction.rollback()
    return result
  }
  return Object.assign(session, { beginTransaction: begin, run }) as unknown as Session
}
