import { parentPort, workerData } from 'node:worker_threads'
import { giveWay } from '../../platform/give-way.ts'
import type { CypherAnswer } from '../../store/cypher/answer.ts'
import { connectReader } from '../../store/cypher/connect.ts'
import { queryFault } from '../../store/cypher/failures.ts'
import { explainQuery, type Reader, runQuery } from '../../store/cypher/query.ts'
import { limitRows, wasTooLarge } from '../../store/cypher/received.ts'
import { classify } from '../../store/neo4j/failures.ts'
import { inGraph } from '../../store/neo4j/values.ts'
import { provesTenant } from './proof.ts'
import { Refusal } from './refusal.ts'
import { rewriteForTenant } from './rewrite.ts'
import type { Address, AskedQuery, QueryAnswer } from './thread.ts'

const address = workerData as Address
giveWay()
const driver = connectReader(address)
limitRows()
parentPort?.on(
  'message',
  (asked: AskedQuery) => void answer(asked).then(each => parentPort?.postMessage(each)),
)
parentPort?.postMessage('ready')

async function answer(asked: AskedQuery): Promise<QueryAnswer> {
  try {
    return await runBound(asked)
  } catch (error) {
    if (error instanceof Refusal) return { code: 'cypher_not_allowed', detail: error.message }
    if (wasTooLarge()) return { code: 'cypher_failed', detail: TOO_LARGE }
    const reason = queryFault(error)
    if (reason) return { code: 'cypher_failed', detail: reason }
    if (classify(error) === 'fault') throw error
    return { unavailable: String(error) }
  }
}

const TOO_LARGE = 'A row is larger than 8 MB. Return fewer or shorter values in each row.'

async function runBound({
  query,
  parameters,
  tenant,
  explain,
  id,
  bookmarks,
}: AskedQuery): Promise<CypherAnswer> {
  const { database, readsLeader } = address
  const reader = { driver, database, readsLeader, bookmarks, id }
  const bound = rewriteForTenant(query, parameters, tenant)
  const values = inGraph(bound.parameters) as Record<string, unknown>
  const { text, plan } = await planned(reader, bound.texts, values)
  if (explain) return { columns: [], rows: '[]', truncated: false, plan }
  return { ...(await runQuery(reader, text, values, bound.columns)), plan: null }
}

async function planned(reader: Reader, texts: readonly string[], values: Record<string, unknown>) {
  for (const text of texts) {
    const plan = await explainQuery(reader, text, values)
    if (plan && provesTenant(plan)) return { text, plan }
  }
  throw new Refusal(
    'Neo4j would not begin this query at the memories of the tenant. Begin each pattern with a MATCH of its own.',
  )
}
