import { isInterfaceType } from 'graphql'
import type { z } from 'zod'
import {
  changesConnection,
  changesConnectionInput,
  connectionsConnection,
  connectionsConnectionInput,
  listConnection,
  listConnectionInput,
  searchConnection,
  searchConnectionInput,
} from '../../contract/graphql.ts'
import { connectionsWithCursors } from '../../service/connections/connections.ts'
import { invoke, permit } from '../../service/index.ts'
import { listWithCursors } from '../../service/memories/list.ts'
import { searchWithCursors } from '../../service/search/search.ts'
import { misfit } from './errors.ts'
import type { GraphqlSource, RequestContext } from './graph.ts'
import { bounds } from './limits.ts'
import { loadMemories } from './memories.ts'
import { lowerCase, memoryIdOf } from './memory-id.ts'
import { toGraphql } from './names.ts'
import { inputOf, type Resolver } from './operations.ts'
import { showAsAsked } from './past.ts'

/** Memories are the only nodes. */
export const readNode = (made: GraphqlSource): Resolver => {
  const load = loadMemories(made)
  return (_root, { id }, requestContext, info) => {
    permit('getMemory', requestContext.ctx)
    return load(memoryIdOf(lowerCase(String(id)), requestContext.ctx.owner), {}, requestContext, info)
  }
}

export const readNodes = (made: GraphqlSource): Resolver => {
  const read = readNode(made)
  return (root, { ids }, requestContext, info) => {
    const asked = ids as readonly string[]
    if (asked.length > bounds.listSize)
      throw misfit(`ids must be at most ${bounds.listSize}.`, info.fieldNodes)
    return asked.map(id => read(root, { id }, requestContext, info))
  }
}

/** Each memory has a cursor that a page can start after. */
export const listAsConnection: Resolver = async (_root, args, requestContext) => {
  const input = pageOf(listConnectionInput, args, requestContext)
  const { memories, next_cursor, has_more, truncated, ...list } = await invoke(
    'listMemories',
    requestContext.ctx,
    input,
    { handle: listWithCursors },
  )
  const cursors = list.cursors()
  const shown = toGraphql(listConnection, {
    edges: memories.map((node, at) => ({ cursor: cursors[at], node })),
    page_info: pageInfo(cursors, has_more, args.after, next_cursor ?? undefined),
    truncated,
  })
  showAsAsked(shown, input)
  return shown
}

type Page = { first?: number; after?: string } & Record<string, unknown>

/** The input of a list or a search, from the arguments of its connection. */
function pageOf(schema: z.ZodObject, args: Record<string, unknown>, requestContext: RequestContext) {
  const { first, after, ...filters } = inputOf({ input: schema }, args, requestContext) as Page
  return { ...filters, limit: first, cursor: after }
}

const pageInfo = (
  cursors: readonly string[],
  hasMore: boolean,
  after: unknown,
  end = cursors.at(-1) ?? null,
) => ({
  has_next_page: hasMore,
  has_previous_page: after !== undefined && after !== null,
  start_cursor: cursors[0] ?? null,
  end_cursor: end,
})

export const searchAsConnection: Resolver = async (_root, args, requestContext) => {
  const input = pageOf(searchConnectionInput, args, requestContext)
  const { results, cursors, has_more, next_cursor, degraded } = await invoke(
    'searchMemories',
    requestContext.ctx,
    input,
    { handle: searchWithCursors },
  )
  const edges = results.map(({ memory, score, relevance }, at) => ({
    cursor: cursors[at],
    node: memory,
    score,
    relevance,
  }))
  const page_info = pageInfo(cursors, has_more && next_cursor !== null, args.after)
  const shown = toGraphql(searchConnection, { edges, page_info, degraded })
  showAsAsked(shown, input)
  return shown
}

export const changesAsConnection: Resolver = async (_root, args, requestContext) => {
  const input = pageOf(changesConnectionInput, args, requestContext)
  const { changes, has_more, next_cursor } = await invoke('listChanges', requestContext.ctx, input)
  const cursors = changes.map(({ cursor }) => cursor)
  return toGraphql(changesConnection, {
    edges: changes.map(node => ({ cursor: node.cursor, node })),
    page_info: pageInfo(cursors, has_more, args.after, next_cursor),
  })
}

export const connectionsAsConnection: Resolver = async (_root, args, requestContext) => {
  const input = pageOf(connectionsConnectionInput, args, requestContext)
  const { connections, cursors, has_more, total } = await invoke(
    'listConnections',
    requestContext.ctx,
    input,
    { handle: connectionsWithCursors },
  )
  const all = cursors()
  return toGraphql(connectionsConnection, {
    edges: connections.map(({ source_id, connection }, at) => ({
      cursor: all[at],
      node: { ...connection, source_id },
    })),
    page_info: pageInfo(all, has_more, args.after),
    total_count: total,
  })
}

/** Says which type a node has. */
export function resolveNodes(type: unknown) {
  if (isInterfaceType(type)) type.resolveType = () => 'Memory'
}
