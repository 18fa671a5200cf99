import { isInterfaceType } from 'graphql'
import { listConnection, listConnectionInput } from '../../contract/graphql.ts'
import { admit, permit } from '../../service/index.ts'
import { listWithCursors } from '../../service/memories/list.ts'
import { misfit } from './errors.ts'
import type { GraphqlSource } from './graph.ts'
import { bounds } from './limits.ts'
import { loadMemories } from './memories.ts'
import { toGraphql } from './names.ts'
import { inputOf, type Resolver } from './operations.ts'

/** Memories are the only nodes. */
export const readNode = (made: GraphqlSource): Resolver => {
  const load = loadMemories(made)
  return (_root, { id }, asking, info) => {
    permit('getMemory', asking.ctx)
    return load(String(id), {}, asking, info)
  }
}

export const readNodes = (made: GraphqlSource): Resolver => {
  const read = readNode(made)
  return (root, { ids }, asking, info) => {
    const asked = ids as readonly string[]
    if (asked.length > bounds.listSize)
      throw misfit(`ids must be at most ${bounds.listSize}.`, info.fieldNodes)
    return asked.map(id => read(root, { id }, asking, info))
  }
}

/** Each memory has a cursor that a page can start after. */
export const listAsConnection: Resolver = async (_root, args, asking) => {
  const { first, after, ...filters } = inputOf({ input: listConnectionInput }, args, asking) as {
    first?: number
    after?: string
  }
  const input = admit('listMemories', asking.ctx, { ...filters, limit: first, cursor: after })
  const { memories, cursors, next_cursor, has_more, truncated } = await listWithCursors(asking.ctx, input)
  return toGraphql(listConnection, {
    edges: memories.map((node, at) => ({ cursor: cursors[at], node })),
    page_info: {
      has_next_page: has_more,
      has_previous_page: after !== undefined,
      start_cursor: cursors[0] ?? null,
      end_cursor: next_cursor ?? cursors.at(-1) ?? null,
    },
    truncated,
  })
}

/** Says which type a node has. */
export function resolveNodes(type: unknown) {
  if (isInterfaceType(type)) type.resolveType = () => 'Memory'
}
