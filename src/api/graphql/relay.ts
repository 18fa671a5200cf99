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
import { admit, invoke, permit } from '../../service/index.ts'
import { listWithCursors } from '../../service/memories/list.ts'
import { cursorsOf, searchMemories } from '../../service/search/search.ts'
import { misfit } from './errors.ts'
import type { GraphqlSource, RequestContext } from './graph.ts'
import { bounds } from './limits.ts'
import { loadMemories } from './memories.ts'
import { lowerCase, memoryIdOf } from './memory-id.ts'
import { toGraphql } from './names.ts'
import { inputOf, isOfThePast, type Resolver } from './operations.ts'
import { showAsOf } from './past.ts'
import { showArchived } from './shown.ts'

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
  const { first, after, ...filters } = inputOf({ input: listConnectionInput }, args, requestContext) as {
    first?: number
    after?: string
  }
  const input = admit('listMemories', requestContext.ctx, { ...filters, limit: first, cursor: after })
  const { memories, cursors, next_cursor, has_more, truncated } = await listWithCursors(
    requestContext.ctx,
    input,
  )
  const shown = toGraphql(listConnection, {
    edges: memories.map((node, at) => ({ cursor: cursors[at], node })),
    page_info: {
      has_next_page: has_more,
      has_previous_page: after !== undefined,
      start_cursor: cursors[0] ?? null,
      end_cursor: next_cursor ?? cursors.at(-1) ?? null,
    },
    truncated,
  })
  if (input.as_of !== undefined) showAsOf(shown, input.as_of)
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
  const { ctx } = requestContext
  const input = admit('searchMemories', ctx, pageOf(searchConnectionInput, args, requestContext))
  const { results, has_more, next_cursor, degraded } = await searchMemories(ctx, input)
  const { record_recall: _, ...search } = input
  const cursors = cursorsOf(ctx, search, results)
  const edges = results.map(({ memory, score, relevance }, at) => ({
    cursor: cursors[at],
    node: memory,
    score,
    relevance,
  }))
  const page_info = pageInfo(cursors, has_more && next_cursor !== null, args.after)
  const shown = toGraphql(searchConnection, { edges, page_info, degraded })
  if (isOfThePast(input)) showArchived(shown)
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
  const asked = pageOf(connectionsConnectionInput, args, requestContext)
  const input = admit('listConnections', requestContext.ctx, asked)
  const { connections, cursors, has_more, total } = await connectionsWithCursors(requestContext.ctx, input)
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
