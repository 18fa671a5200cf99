import type { QueryPlan } from '../../store/cypher/answer.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const ofNodes = words('NodeIndexSeek NodeIndexSeekByRange NodeUniqueIndexSeek MultiNodeIndexSeek')
const ofConnections = words(
  'DirectedRelationshipIndexSeek UndirectedRelationshipIndexSeek DirectedRelationshipIndexSeekByRange UndirectedRelationshipIndexSeekByRange',
)
const NODES =
  /^(UNIQUE|RANGE INDEX) \w+:(Memory|Recall)\(tenant(, \w+)*\) WHERE tenant = \$t( AND |, cache\[|$)/
const CONNECTIONS =
  /^RANGE INDEX \(\w*\)<?-\[\w*:[A-Z_]+\(tenant(, \w+)*\)\]->?\(\w*\) WHERE tenant = \$t( AND |, cache\[|$)/

/** What else a plan may begin with: none of these reads the graph. */
const empty = words(
  'Argument Distinct EagerAggregation EmptyRow Filter Limit ProduceResults Projection Skip Sort Top Unwind',
)
/** What works on rows that are there, and goes along the connections of memories that are there. */
const working = words(
  `Aggregation AntiSemiApply Apply AssertSameNode CacheProperties CartesianProduct ConditionalApply DirectedUnionApply Distinct Eager
  EagerAggregation EmptyResult Expand(All) Expand(Into) ExhaustiveLimit Filter LetAntiSemiApply LetSelectOrAntiSemiApply LetSelectOrSemiApply
  LetSemiApply Limit NodeHashJoin Optional OptionalExpand(All) OptionalExpand(Into) OrderedAggregation OrderedDistinct OrderedUnion
  PartialSort PartialTop ProduceResults Projection RepeatOptions RollUpApply SelectOrAntiSemiApply SelectOrSemiApply SemiApply ShortestPath Skip
  Sort StatefulShortestPath(All) StatefulShortestPath(Into) Top Top1WithTies TriadicBuild TriadicFilter TriadicSelection Union Unwind ValueHashJoin
  VarLengthExpand(All) VarLengthExpand(Into) LeftOuterHashJoin RightOuterHashJoin NullifyMetadata AntiConditionalApply`,
)
const VARIANTS = /^(Repeat|VarLengthExpand|StatefulShortestPath|BidirectionalRepeat)\([\w, ]+\)$/

/** A query or a pattern within an expression has no operators of its own: what it reads cannot be seen. */
const UNSEEN = /\b(EXISTS|COUNT|COLLECT)\s*\{|\b(get|has)Degree\w*\(|\bNestedPlan/i

/**
 * Whether a plan can only see what belongs to the tenant: whatever begins it, begins at the tenant in an index. A scan that
 * is filtered later would see others, and what a condition does with them could be told from outside.
 */
export const provesTenant = (plan: QueryPlan): boolean =>
  !UNSEEN.test(plan.details) &&
  (plan.children.length > 0 ? works(plan) && plan.children.every(provesTenant) : begins(plan))

const works = ({ operator }: QueryPlan) => working.has(operator) || VARIANTS.test(operator)

function begins({ operator, details }: QueryPlan): boolean {
  if (ofNodes.has(operator)) return details.split(/, (?=UNIQUE|RANGE INDEX)/).every(each => NODES.test(each))
  return ofConnections.has(operator) ? CONNECTIONS.test(details) : empty.has(operator)
}
