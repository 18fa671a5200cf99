import type { QueryPlan } from '../../store/cypher/answer.ts'
import type { Handler } from '../handler.ts'

/**
 * Two locks keep a query in its tenant: the service writes it again so that each of its patterns is bound to the tenant, and the plan
 * of the database must show that it begins there.
 * @throws ServiceError `cypher_not_allowed`, `cypher_failed`, `rate_limited`
 */
export const runCypher: Handler<'runCypher'> = async (ctx, { query, parameters, explain }) => {
  const { tenant } = ctx
  const { columns, rows, truncated, plan } = await ctx.app.cypher.run(ctx, {
    query,
    parameters,
    tenant,
    explain,
  })
  return { columns, rows: JSON.parse(rows), truncated, plan: plan && operatorsOf(plan) }
}

const operatorsOf = (
  { operator, details, children }: QueryPlan,
  depth = 0,
): { operator: string; details: string; depth: number }[] => [
  { operator, details, depth },
  ...children.flatMap(child => operatorsOf(child, depth + 1)),
]
