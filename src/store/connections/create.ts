import type { Context, GroupCommit } from '../../context.ts'
import type { Connection, NewConnection } from '../../contract/connections.ts'
import type { ServiceError } from '../../contract/problems.ts'
import { recordConnectionChange } from '../feed/record.ts'
import { inLockOrder, lockNow } from '../neo4j/lock.ts'
import {
  connectionKey,
  type EdgeColumns,
  edgeColumns,
  edgeOf,
  isAsInRow,
  NOW,
  typeInGraph,
} from '../neo4j/projections.ts'
import { int, type Parameters, type Running, transact, write } from '../neo4j/statements.ts'
import { keepChanged } from './earlier.ts'
import { becomesAsserted, connectionProperties } from './fields.ts'

/** What prevents a connection: one of its ends. */
export type EndFault = { end: 'source' | 'target'; id: string; fault: 'missing' | 'archived' }

export type Connected = { connection: Connection } | EndFault

/**
 * Connects two memories of the tenant, in one commit with those that are connected at the same time. A connection that
 * exists keeps its age, takes what is sent, and is asserted now.
 */
export const connectMemories = (ctx: Context, connection: NewConnection): Promise<Connected> =>
  ctx.app.groupCommits.commit(connects, ctx, rowOf(ctx, connection))

/** What prevents a connection of a batch, by its place. */
export type BatchFault = EndFault & { at: number }

/** Connects memories like `connectMemories`, each pair in its tenant, all or none. @throws what `refuse` makes of that which prevents it */
export const connectAll = (
  ctx: Context,
  connections: readonly { tenant: string; connection: NewConnection }[],
  refuse: (faults: readonly BatchFault[]) => ServiceError,
): Promise<Connection[]> =>
  transact(ctx, async ({ run }) => {
    const rows = connections.map(({ tenant, connection }) => rowOf({ tenant }, connection))
    const connected = await connectRows(run, rows)
    const faults = connected.flatMap((states, at) =>
      faultsOf(rows[at] as Row, states).map(fault => ({ at, ...fault })),
    )
    if (faults.length > 0) throw refuse(faults)
    return connected.map(({ connection }) => connectionOf(connection as EdgeColumns))
  })

/** Connects memories of the tenant whose locks are held. One whose end is not active is left out. */
export const connectLocked = (
  { run }: Running,
  tenant: string,
  connections: readonly NewConnection[],
): Promise<unknown> =>
  connectRows(
    run,
    connections.map(connection => rowOf({ tenant }, connection)),
  )

type Row = {
  tenant: string
  sourceId: string
  targetId: string
  /** As the graph writes it. */
  type: string
  /** The properties that are sent, or cleared. */
  figures: Record<string, unknown>
}

const rowOf = (
  { tenant }: Pick<Context, 'tenant'>,
  { source_id, target_id, relationship_type, clear = [], ...given }: NewConnection,
): Row => ({
  tenant,
  sourceId: source_id,
  targetId: target_id,
  type: typeInGraph(relationship_type),
  figures: connectionProperties({
    ...withWholeSpan(given),
    ...Object.fromEntries(clear.map(name => [name, null])),
  }),
})

/** A validity is replaced as a whole: who sends one end of it says that the other is open. */
const withWholeSpan = <Given extends { valid_from?: string | undefined; valid_until?: string | undefined }>(
  given: Given,
) =>
  given.valid_from === undefined && given.valid_until === undefined
    ? given
    : { ...given, valid_from: given.valid_from ?? null, valid_until: given.valid_until ?? null }

const connects: GroupCommit<Row, Connected> = {
  rows: 128,
  async commit(caller, _space, rows) {
    const connected = await connectRows((text, parameters) => write(caller, text, parameters), rows)
    return rows.map((row, at) => {
      const { connection, ...states } = connected[at] as ConnectedRow
      return connection ? { connection: connectionOf(connection) } : (faultsOf(row, states)[0] as EndFault)
    })
  },
}

type EndState = 'active' | 'archived' | null
type EndStates = { source: EndState; target: EndState }
type ConnectedRow = EndStates & { connection: EdgeColumns | null }
type Run = <T>(text: string, parameters: Parameters) => Promise<T[]>

/** Returns in the order of the rows. */
async function connectRows(run: Run, rows: readonly Row[]): Promise<ConnectedRow[]> {
  const connected: ConnectedRow[] = []
  const parameters = {
    rows: rows.map((row, at) => ({ ...row, at: int(at) })),
    ends: inLockOrder(rows.flatMap(endsOf)),
  }
  for (const { at, ...row } of await run<ConnectedRow & { at: number }>(connect, parameters))
    connected[at] = row
  return connected
}

export function connectionOf(columns: EdgeColumns): Connection {
  const { source_id, ...connection } = edgeOf(columns)
  return { source_id, connection }
}

function faultsOf({ sourceId, targetId }: Row, { source, target }: EndStates): EndFault[] {
  const faultOf = (end: EndFault['end'], id: string, state: EndState): EndFault[] =>
    state === 'active' ? [] : [{ end, id, fault: state === null ? 'missing' : 'archived' }]
  const faults = [...faultOf('source', sourceId, source), ...faultOf('target', targetId, target)]
  // One that is missing is reported before one that is archived.
  return faults.sort((a, b) => Number(a.fault === 'archived') - Number(b.fault === 'archived'))
}

const endsOf = ({ tenant, sourceId, targetId }: Row) => [sourceId, targetId].map(id => ({ tenant, id }))

/** Rows of several tenants: each names its own. Row by row, as two of them can be the same connection. */
const connect = `CALL () {
    UNWIND $ends AS row
    MATCH (m:Memory {tenant: row.tenant, id: row.id}) USING INDEX SEEK m:Memory(tenant, id)
    ${lockNow('m')}
    RETURN count(*) AS locked
  }
  UNWIND $rows AS row
  OPTIONAL MATCH (source:Memory {tenant: row.tenant, id: row.sourceId}) USING INDEX SEEK source:Memory(tenant, id)
  OPTIONAL MATCH (target:Memory {tenant: row.tenant, id: row.targetId}) USING INDEX SEEK target:Memory(tenant, id)
  CALL (row, source, target) {
    WITH row, source, target WHERE source.state = 'active' AND target.state = 'active'
    MERGE (source)-[r:$(row.type)]->(target)
    ON CREATE SET r.key = ${connectionKey('row.tenant', 'source', 'target')}, r.tenant = row.tenant,
      r.createdAt = ${NOW}
    WITH row, source, target, r, ${NOW} AS now, coalesce(r.origin <> 'asserted', true)
      OR NOT coalesce(${isAsInRow('r')}, false) AS changed
    ${keepChanged('changed AND r.origin IS NOT NULL', 'r', 'source', 'target')}
    ${becomesAsserted('r')}
    SET r += row.figures
    WITH source, target, r, changed
    CALL (source, target, r, changed) {
      WITH source, target, r WHERE changed
      ${recordConnectionChange('connected', 'r', 'source', 'target')}
    }
    RETURN collect(${edgeColumns('r')})[0] AS connection
  }
  RETURN row.at AS at, source.state AS source, target.state AS target, connection`
