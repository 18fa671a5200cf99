import type { QueryPlan } from '../../store/cypher.ts'

/** Operators that bring nodes into a plan by an index, and those that bring none. */
const seeks = new Set(['NodeIndexSeek', 'NodeIndexSeekByRange', 'NodeUniqueIndexSeek', 'MultiNodeIndexSeek'])
const empty = new Set(
  'Argument Distinct EagerAggregation EmptyResult EmptyRow Filter Limit ProduceResults Projection Skip Sort Top Unwind'.split(
    ' ',
  ),
)
const INDEX =
  /^(UNIQUE|RANGE INDEX) [^:()]+:(Memory|Recall)\(tenant(, \w+)*\) WHERE tenant = \$tenant( AND |$|,)/

/**
 * Whether a plan can only see what belongs to the tenant: whatever begins it, begins at the tenant in an index. A scan that
 * is filtered later would see others, and what a condition does with them could be told from outside.
 */
export const beginsInTenant = (plan: QueryPlan): boolean =>
  plan.children.length > 0 ? plan.children.every(beginsInTenant) : isOfTenant(plan)

function isOfTenant({ operator, details }: QueryPlan): boolean {
  if (empty.has(operator)) return true
  const indexes = details.split(/, (?=UNIQUE|RANGE INDEX)/)
  return seeks.has(operator) && indexes.every(each => INDEX.test(each))
}
