import type { Context } from '../../context.ts'
import type { Connection, NewConnection } from '../../contract/connections.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import { countConnectionsAsOf, listConnectionsAsOf } from '../../store/connections/as-of.ts'
import * as store from '../../store/connections/connections.ts'
import {
  type BatchFault,
  connectAll,
  connectMemories,
  type EndFault,
} from '../../store/connections/create.ts'
import { withMemoryLocks } from '../../store/memories/lock.ts'
import { tenantsOf } from '../access/private.ts'
import { partsOfPairs } from '../access/visibility.ts'
import type { Handler } from '../handler.ts'
import { toFilter } from '../memories/filters.ts'
import { withCheckedReasons } from '../memories/secrets.ts'
import { readWithCursors } from '../pages.ts'

export const createConnection: Handler<'createConnection'> = async (ctx, input) => {
  checkPair(input, '')
  const [checked = input] = await withCheckedReasons(ctx, [input], () => '')
  return connectPair(ctx, checked)
}

/** The same with a reason that the service gives. */
export async function connectPair(ctx: Context, input: NewConnection): Promise<Connection> {
  const connected = await withMemoryLocks(ctx, [input.source_id, input.target_id], () =>
    connectMemories(ctx, input),
  )
  if ('connection' in connected) return connected.connection
  throw refusal(connected)
}

export const createConnections: Handler<'createConnections'> = async (ctx, { connections }) => {
  for (const [at, connection] of connections.entries()) checkPair(connection, `/connections/${at}`)
  const checked = await withCheckedReasons(ctx, connections, at => `/connections/${at}`)
  const parts = await partsOfPairs(ctx, checked)
  const placed = checked.map((connection, at) => ({ connection, tenant: (parts[at] as Context).tenant }))
  const connect = () => connectAll(ctx, placed, batchRefusal)
  const locked = tenantsOf(ctx).reduceRight((work, tenant) => {
    const own = placed.filter(each => each.tenant === tenant).flatMap(each => endsOf(each.connection))
    return () => withMemoryLocks({ ...ctx, tenant }, own, work)
  }, connect)
  return { connections: await locked() }
}

const endsOf = ({ source_id, target_id }: NewConnection) => [source_id, target_id]

/** @throws ServiceError `validation_failed` */
function checkPair({ source_id, target_id, clear = [], ...given }: NewConnection, place: string) {
  if (source_id === target_id)
    throw invalid(`${place}/target_id`, 'connects_to_itself', 'must be another memory than `source_id`')
  const both = clear.find(name => given[name] !== undefined)
  if (both) throw invalid(`${place}/clear`, 'custom', `must not name \`${both}\`, which the request sets`)
}

export const listConnections: Handler<'listConnections'> = async (ctx, input) => {
  const { cursors: _, ...page } = await connectionsWithCursors(ctx, input)
  return page
}

/** The same, with a cursor behind each connection. */
export async function connectionsWithCursors(
  ctx: Context,
  input: Parsed<'listConnections'>,
): Promise<Output<'listConnections'> & { cursors: () => string[] }> {
  const filter = {
    sourceId: input.source_id,
    targetId: input.target_id,
    type: input.relationship_type,
    origin: input.origin,
    validAt: toFilter({ valid_at: input.valid_at, as_of: input.as_of }).validAt,
  }
  const asOf = input.as_of === undefined ? undefined : Date.parse(input.as_of)
  let counted: store.ConnectionCount | undefined
  const { page, ...rest } = await readWithCursors<Connection, ConnectionsPlace>(
    ctx,
    'listConnections',
    input,
    {
      async read({ after, ...reach }) {
        const from = { after: after?.place, ...reach }
        counted = after?.counted ?? (await countOf(ctx, filter, asOf))
        return asOf === undefined
          ? store.listConnections(ctx, filter, counted.types, from)
          : listConnectionsAsOf(ctx, filter, asOf, from)
      },
      placeOf: page => ({
        place: placeOfConnection(page.at(-1) as Connection),
        counted: counted as store.ConnectionCount,
      }),
    },
  )
  return { connections: page, total: counted?.total ?? 0, ...rest }
}

const countOf = async (ctx: Context, filter: store.ConnectionFilter, asOf: number | undefined) =>
  asOf === undefined
    ? store.countConnections(ctx, filter)
    : { total: await countConnectionsAsOf(ctx, filter, asOf), types: [] }

/** What was not there on the first page need not be on a later one: neither its type nor its part of the total. */
type ConnectionsPlace = { place: store.ConnectionPlace; counted: store.ConnectionCount }

const placeOfConnection = ({ source_id, connection }: Connection): store.ConnectionPlace => ({
  createdAt: Date.parse(connection.created_at),
  sourceId: source_id,
  targetId: connection.target_id,
  type: connection.relationship_type,
})

export const deleteConnection: Handler<'deleteConnection'> = async (ctx, input) => {
  const { source_id, target_id, relationship_type } = input
  const ends = { sourceId: source_id, targetId: target_id }
  const deleted = await withMemoryLocks(ctx, [source_id, target_id], () =>
    store.disconnectMemories(ctx, ends, relationship_type),
  )
  if (deleted === 0)
    throw new ServiceError(
      'connection_not_found',
      `There is no such connection from ${source_id} to ${target_id}.`,
    )
  return { source_id, target_id, deleted }
}

const codes = { missing: 'memory_not_found', archived: 'memory_archived' } as const

const messages = {
  missing: (id: string) => `There is no memory ${id}.`,
  archived: (id: string) => `The memory ${id} is archived; restore it first.`,
}

const refusal = ({ id, fault }: EndFault) => new ServiceError(codes[fault], messages[fault](id))

/** The status is that of the first fault; one that is missing comes before one that is archived. */
function batchRefusal(faults: readonly BatchFault[]): ServiceError {
  const first = faults.find(({ fault }) => fault === 'missing') ?? (faults[0] as EndFault)
  return new ServiceError(codes[first.fault], messages[first.fault](first.id), {
    faults: faults.map(({ at, end, id, fault }) => ({
      pointer: `/connections/${at}/${end}_id`,
      code: codes[fault],
      message: messages[fault](id),
    })),
  })
}
