import type { Integer } from 'neo4j-driver'
import type { Context, GroupCommit, Space } from '../../context.ts'
import { baseTenant } from '../../contract/private.ts'
import { jobLanes } from '../jobs/lanes.ts'
import type { LeasedJob } from '../jobs/leases.ts'
import { int, read } from '../neo4j/statements.ts'

export type Subject = {
  /** Only where a vector is missing: then it is needed. */
  content: string | null
  /** The properties of the spaces, of those asked for, in which it has no vector. */
  missing: string[]
  /** Whether the job still speaks of the memory as it is: active, and at this revision of its content. */
  current: boolean
  /** The space that is active now; this process may not have followed a switch yet. */
  active: string
  /** The version of the tenant's rule in that space. */
  rule: string | null
  digest: string | null
}

/** No caller waits for discovery: its statements run one at a time, so that requests find the database free. */
export const background = { queue: 'discovery', rows: jobLanes.usual.jobsALease }

/** Each tenant has its share of the queue. */
export const commit = <Row, Answer>(ctx: Context, group: GroupCommit<Row, Answer>, row: Row) =>
  ctx.app.groupCommits.commit(
    group,
    { signal: ctx.signal, space: ctx.space, share: baseTenant(ctx.tenant) },
    row,
  )

/** The memory that a job is about; undefined when it has been removed. */
export const getSubject = (
  ctx: Context,
  job: LeasedJob,
  spaces: readonly Space[],
): Promise<Subject | undefined> =>
  commit(ctx, subjects, {
    id: job.memoryId,
    tenant: ctx.tenant,
    revision: int(job.revision),
    properties: spaces.map(({ property }) => property),
  })

type SubjectRow = { id: string; tenant: string; revision: Integer; properties: string[] }

const subjects: GroupCommit<SubjectRow, Subject | undefined> = {
  ...background,
  async commit(caller, _space, rows) {
    const found = await read<{ tenant: string; id: string; revision: number; subject: Subject }>(
      caller,
      `MATCH (s:Setting {name: 'activeSpace'})
      WITH s.value AS active
      UNWIND $rows AS row
      MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
      OPTIONAL MATCH (d:DiscoveryRule {tenant: row.tenant, space: active})
      WITH active, m, row, d.version AS rule, [name IN row.properties WHERE NOT name IN keys(m)] AS missing
      RETURN row.tenant AS tenant, row.id AS id, row.revision AS revision, {missing: missing,
        content: CASE WHEN size(missing) > 0 THEN m.content END,
        current: m.state = 'active' AND row.revision = m.revision, active: active, rule: rule, digest: m.textDigest} AS subject`,
      { rows },
    )
    const nameOf = ({ tenant, id, revision }: { tenant: string; id: string; revision: unknown }) =>
      `${tenant}:${id}:${revision}`
    const subjectOf = new Map(found.map(each => [nameOf(each), each.subject]))
    return rows.map(row => subjectOf.get(nameOf(row)))
  },
}
