import neo4j from 'neo4j-driver'
import { inject } from 'vitest'

/** Holds the locks of memories of a tenant, as a transaction that does not end. */
export const holdLocks = (tenant: string, ids: readonly string[]) =>
  hold('UNWIND $ids AS id MATCH (m:Memory {tenant: $tenant, id: id}) SET m.lock = true', tenant, ids)

/** Holds the locks of all nodes of a label in a tenant. */
export const holdNodes = (label: string, tenant: string) =>
  hold(`MATCH (n:${label}) WHERE n.tenant = $tenant SET n.lock = true`, tenant)

async function hold(text: string, tenant: string, ids: readonly string[] = []) {
  const { uri, username, password } = inject('neo4j')
  const driver = neo4j.driver(uri, neo4j.auth.basic(username, password), { disableLosslessIntegers: true })
  const transaction = await driver.session().beginTransaction()
  await transaction.run(text, { ids, tenant })
  return {
    /** How many transactions of services are about these memories now. */
    async waiting(): Promise<number> {
      const { records } = await driver.executeQuery(
        `SHOW TRANSACTIONS YIELD parameters, currentQuery
        WHERE NOT currentQuery STARTS WITH 'SHOW'
          AND any(row IN coalesce(parameters.rows, [parameters]) WHERE row.tenant = $tenant AND row.id IN $ids)
        RETURN count(*) AS n`,
        { ids, tenant },
      )
      return records[0]?.get('n')
    },
    release: () => transaction.rollback(),
    async [Symbol.asyncDispose]() {
      await transaction.close()
      await driver.close()
    },
  }
}
