import type { Context } from '../../context.ts'
import { keepConnection } from '../connections/earlier.ts'
import { recordConnectionChange } from '../feed/record.ts'
import { completeIn } from '../jobs/ending.ts'
import type { LeasedJob } from '../jobs/leases.ts'
import { lockMemories } from '../memories/lock.ts'
import { connectionKey, inMillis, isNewer, isOfTexts, NOW, ofTexts, otherEnd } from '../neo4j/projections.ts'
import { int, read, type Transaction, transact } from '../neo4j/statements.ts'

export type Compared = {
  readonly id: string
  readonly content: string
  readonly speaker: string | null
  readonly revision: number
  readonly at: number
  readonly from: number | null
  readonly until: number | null
}

const compared = (
  m: string,
) => `{id: ${m}.id, content: ${m}.content, speaker: ${m}.speaker, revision: 1.0 * ${m}.revision, at: ${inMillis(`${m}.createdAt`)},
    from: ${inMillis(`${m}.validFrom`)}, until: ${inMillis(`${m}.validUntil`)}}`

/** The memory of a job with those that are nearest and most connected; undefined if it has changed or is gone. */
export async function readCompared(
  ctx: Context,
  job: LeasedJob,
  near: readonly string[],
  { longest, connected }: { longest: number; connected: number },
): Promise<{ memory: Compared; others: Compared[] } | undefined> {
  const [row] = await read<{ memory: Compared; others: Compared[] }>(
    ctx,
    `MATCH (m:Memory {tenant: $tenant, id: $id}) USING INDEX SEEK m:Memory(tenant, id)
    WHERE m.state = 'active' AND m.revision = $revision AND size(m.content) <= $longest
    CALL (m) {
      UNWIND $near AS near
      MATCH (n:Memory {tenant: $tenant, id: near}) USING INDEX SEEK n:Memory(tenant, id)
      RETURN n
      UNION
      MATCH (m)-[r]-${otherEnd('n')} WHERE r.tenant = $tenant AND n.tenant = $tenant
      WITH n ORDER BY coalesce(r.strength, 1.0) DESC LIMIT $connected
      RETURN n
    }
    WITH m, n WHERE n <> m AND n.state = 'active' AND coalesce(n.kind <> 'turn', true) AND size(n.content) <= $longest
    RETURN ${compared('m')} AS memory, collect(${compared('n')}) AS others`,
    {
      tenant: ctx.tenant,
      id: job.memoryId,
      revision: int(job.revision),
      near,
      longest: int(longest),
      connected: int(connected),
    },
  )
  return row
}

/** What a model says of the memory of a job and another one. */
export type Judgement = {
  readonly id: string
  readonly revision: number
  /** As the graph writes it; null for none. */
  readonly type: string | null
  readonly isOutgoing: boolean
  /** Of a contradiction: whether it stands at once, or is only suggested. Of none: whether a suggestion is rejected. */
  readonly conflict: 'confirmed' | 'suggested' | 'rejected' | null
  readonly reason: string
  readonly confidence: number
}

/**
 * Makes the connections that a model has found equal to its findings, decides suggested conflicts, and ends the job, in one
 * transaction. What somebody has asserted or said stays. False when the job is no longer ours.
 */
export function keepFindings(
  ctx: Context,
  job: LeasedJob,
  findings: readonly Judgement[],
  model: string,
  also: (transaction: Transaction) => Promise<unknown>,
): Promise<boolean> {
  const { tenant } = ctx
  return transact(ctx, async transaction => {
    const { run } = transaction
    await lockMemories({ run }, [{ tenant, id: job.memoryId }, ...findings.map(({ id }) => ({ tenant, id }))])
    if (!(await completeIn(transaction, job))) return false
    const parameters = {
      tenant,
      id: job.memoryId,
      revision: int(job.revision),
      model,
      findings: findings.map(each => ({ ...each, revision: int(each.revision) })),
    }
    await run(retireOutdated, parameters)
    if (findings.length === 0) return true
    await run(settleSuspicions, parameters)
    await run(connectJudged, parameters)
    await also(transaction)
    return true
  })
}

const memory = 'MATCH (m:Memory {tenant: $tenant, id: $id}) USING INDEX SEEK m:Memory(tenant, id)'

/** Of texts that have changed, or of which the model says something else now. */
const retireOutdated = `${memory}
  MATCH (m)-[r]-${otherEnd('n')} WHERE n.tenant = $tenant AND r.origin = 'discovered' AND r.judged IS NOT NULL
  WITH m, n, r, [v IN $findings WHERE v.id = n.id][0] AS finding
  WHERE r.judged <> ${ofTexts('startNode(r)', 'endNode(r)')} OR (finding IS NOT NULL
    AND NOT (finding.type = type(r) OR (type(r) = 'CONTRADICTS' AND finding.conflict = 'confirmed')))
  ${recordConnectionChange('disconnected', 'r')}
  ${keepConnection('r')}
  DELETE r`

const pairs = `${memory} WHERE m.revision = $revision AND m.state = 'active'
  UNWIND $findings AS v
  MATCH (n:Memory {tenant: $tenant, id: v.id}) USING INDEX SEEK n:Memory(tenant, id) WHERE n.revision = v.revision AND n.state = 'active'
  WITH m, n, v, ${isNewer('m', 'n')} AS isNewer
  WITH m, n, v, CASE WHEN isNewer THEN m ELSE n END AS newer, CASE WHEN isNewer THEN n ELSE m END AS older`

const settleSuspicions = `${pairs}
  CALL (newer, older, v) {
    MATCH (newer)-[r:MAY_CONTRADICT]->(older)
    WHERE r.status = 'suggested' AND v.conflict IN ['confirmed', 'rejected'] AND ${isOfTexts('r', 'newer', 'older')}
    SET r.status = v.conflict, r.reason = v.reason
  }
  WITH newer, older, v WHERE v.conflict IN ['confirmed', 'suggested']
  MERGE (newer)-[r:MAY_CONTRADICT {pair: ${connectionKey('$tenant', 'newer', 'older')}}]->(older)
  ON CREATE SET r.ofTenant = $tenant, r.status = v.conflict, r.createdAt = ${NOW}, r.revisions = ${ofTexts('newer', 'older')},
    r.rule = 'model', r.reason = v.reason`

/** A contradiction is connected only where nobody has rejected it. */
const connectJudged = `${pairs}
  WITH v,
    CASE WHEN v.conflict = 'confirmed' THEN newer WHEN v.isOutgoing THEN m ELSE n END AS source,
    CASE WHEN v.conflict = 'confirmed' THEN older WHEN v.isOutgoing THEN n ELSE m END AS target,
    CASE WHEN v.conflict = 'confirmed' THEN 'CONTRADICTS' ELSE v.type END AS type
  WHERE type IS NOT NULL AND NOT EXISTS { (source)-[x]-(target) WHERE type(x) = type }
    AND (coalesce(v.conflict <> 'confirmed', true) OR EXISTS { (source)-[s:MAY_CONTRADICT]->(target) WHERE s.status = 'confirmed' })
  CREATE (source)-[r:$(type)]->(target)
  SET r.key = ${connectionKey('$tenant', 'source', 'target')}, r.tenant = $tenant, r.origin = 'discovered',
    r.strength = v.confidence, r.model = $model, r.reason = v.reason, r.judged = ${ofTexts('source', 'target')},
    r.createdAt = ${NOW}
  ${recordConnectionChange('connected', 'r', 'source', 'target')}`
