import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import * as store from '../../store/connections/connections.ts'
import { withMemoryLocks } from '../../store/memories/lock.ts'
import { notFound } from '../memories/memories.ts'

export async function createConnection(
  ctx: Context,
  input: Parsed<'createConnection'>,
): Promise<Output<'createConnection'>> {
  const { source_id: sourceId, target_id: targetId, relationship_type, strength } = input
  if (sourceId === targetId)
    throw invalid('/target_id', 'connects_to_itself', 'must be another memory than `source_id`')
  const { verdict, connection } = await withMemoryLocks(ctx, [sourceId, targetId], () =>
    store.connectMemories(ctx, { sourceId, targetId }, relationship_type, strength),
  )
  switch (verdict) {
    case 'source_missing':
      return notFound(sourceId)
    case 'target_missing':
      return notFound(targetId)
    case 'source_archived':
      throw archived(sourceId)
    case 'target_archived':
      throw archived(targetId)
    case 'connected':
      return connection as NonNullable<typeof connection>
  }
}

export async function listConnections(
  ctx: Context,
  input: Parsed<'listConnections'>,
): Promise<Output<'listConnections'>> {
  const { limit, offset } = input
  const filter = {
    sourceId: input.source_id,
    targetId: input.target_id,
    type: input.relationship_type,
    origin: input.origin,
  }
  return { ...(await store.listConnections(ctx, filter, { limit, offset })), limit, offset }
}

export async function deleteConnection(
  ctx: Context,
  input: Parsed<'deleteConnection'>,
): Promise<Output<'deleteConnection'>> {
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

const archived = (id: string) =>
  new ServiceError('memory_archived', `The memory ${id} is archived; restore it first.`)
