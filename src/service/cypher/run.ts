import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { ServiceError } from '../../contract/problems.ts'
import { explainCypher, type QueryPlan, runCypher as readRows } from '../../store/cypher.ts'
import { inGraph } from '../../store/neo4j/values.ts'
import { OWN } from './parts.ts'
import { beginsInTenant } from './proof.ts'
import { Refusal } from './refusal.ts'

/**
 * Two locks keep a query in its tenant: it is rewritten so that each of its patterns is bound to the tenant, and the plan of
 * the database must show that it begins there.
 * @throws ServiceError `cypher_not_allowed`, `cypher_failed`
 */
export async function runCypher(
  ctx: Context,
  { query, parameters, explain }: Parsed<'runCypher'>,
): Promise<Output<'runCypher'>> {
  const given = { ...(inGraph(parameters) as object), tenant: ctx.tenant }
  const { text, plan } = await planned(ctx, query, given)
  if (explain) return { columns: [], rows: [], truncated: false, plan: operatorsOf(plan) }
  const { columns, rows, truncated } = await readRows(ctx, text, given)
  const own = columns.filter(name => name.startsWith(OWN))
  for (const row of rows) for (const name of own) delete row[name]
  return { columns: columns.filter(name => !own.includes(name)), rows, truncated, plan: null }
}

async function planned(ctx: Context, query: string, given: Record<string, unknown>) {
  const texts = await ctx.app.cypher.rewrite(ctx.tenant, query, ctx.signal).catch(error => {
    throw error instanceof Refusal ? new ServiceError('cypher_not_allowed', error.message) : error
  })
  for (const text of new Set(texts)) {
    const plan = await explainCypher(ctx, text, given)
    if (plan && beginsInTenant(plan)) return { text, plan }
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
