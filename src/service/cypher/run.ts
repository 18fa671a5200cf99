import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import type { QueryPlan } from '../../store/cypher/answer.ts'

/**
 * Two locks keep a query in its tenant: the service writes it again so that each of its patterns is bound to the tenant, and the plan
 * of the database must show that it begins there.
 * @throws ServiceError `cypher_not_allowed`, `cypher_failed`, `rate_limited`
 */
export async function runCypher(
  ctx: Context,
  { query, parameters, explain }: Parsed<'runCypher'>,
): Promise<Output<'runCypher'>> {
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
