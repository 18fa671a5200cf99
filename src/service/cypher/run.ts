import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { ServiceError } from '../../contract/problems.ts'
import { explainCypher, type QueryPlan, runCypher as readRows } from '../../store/cypher.ts'
import { inGraph } from '../../store/neo4j/values.ts'
import { provesTenant } from './proof.ts'
import { Refusal } from './refusal.ts'
import { rewriteForTenant } from './rewrite.ts'

/**
 * Two locks keep a query in its tenant: it is rewritten so that each of its patterns is bound to the tenant, and the plan of
 * the database must show that it begins there.
 * @throws ServiceError `cypher_not_allowed`, `cypher_failed`
 */
export async function runCypher(
  ctx: Context,
  { query, parameters, explain }: Parsed<'runCypher'>,
): Promise<Output<'runCypher'>> {
  const { texts, columns, parameters: given } = rewritten(ctx, query, parameters)
  const values = inGraph(given) as Record<string, unknown>
  const { text, plan } = await planned(ctx, texts, values)
  if (explain) return { columns: [], rows: [], truncated: false, plan: operatorsOf(plan) }
  const { rows, truncated } = await readRows(ctx, text, values)
  return {
    columns: [...columns],
    rows: rows.map(row => Object.fromEntries(columns.map((name, at) => [name, row[`c${at}`]]))),
    truncated,
    plan: null,
  }
}

function rewritten(ctx: Context, query: string, parameters: Record<string, unknown>) {
  try {
    return rewriteForTenant(query, parameters, ctx.tenant)
  } catch (error) {
    throw error instanceof Refusal ? new ServiceError('cypher_not_allowed', error.message) : error
  }
}

async function planned(ctx: Context, texts: readonly string[], given: Record<string, unknown>) {
  for (const text of texts) {
    const plan = await explainCypher(ctx, text, given)
    if (plan && provesTenant(plan)) return { text, plan }
  }
  throw new ServiceError(
    'cypher_not_allowed',
    'Neo4j would not begin this query at the memories of the tenant. Begin each pattern with a MATCH of its own.',
  )
}

const operatorsOf = (
  { operator, details, children }: QueryPlan,
  depth = 0,
): { operator: string; details: string; depth: number }[] => [
  { operator, details, depth },
  ...children.flatMap(child => operatorsOf(child, depth + 1)),
]
