import { edge } from '../../contract/graph.ts'
import { connectionsInput, historyInput, historyOutput, subgraphInput } from '../../contract/graphql.ts'
import { memory } from '../../contract/memory.ts'
import { ownerIn } from '../../service/access/private.ts'
import { memoriesById, type Step } from '../../service/graph/reads.ts'
import { connectionsOf, subgraph } from '../../service/graph/subgraph.ts'
import { check, invoke, permit } from '../../service/index.ts'
import { load } from './batches.ts'
import { ID, memoryIdOf } from './memory-id.ts'
import { toContract, toGraphql } from './names.ts'
import type { Resolver } from './operations.ts'
import { contextOfMemory } from './parts.ts'
import { asOfOf, showAsAsked } from './past.ts'

/** Reads the connections of all memories of a query at once, if the arguments are the same. */
export const loadConnections: Resolver = async (parent, args, requestContext) => {
  const asOf = asOfOf(parent)
  const asked = toContract(connectionsInput, args) as object
  const input = check(connectionsInput, { ...(asOf !== undefined && { as_of: asOf }), ...asked })
  const ctx = contextOfMemory(requestContext.ctx, parent)
  const steps = await load(
    requestContext,
    `connections ${ctx.tenant} ${JSON.stringify(input)}`,
    idOf(parent),
    ids => connectionsOf(ctx, ids, input, requestContext),
  )
  const shown = ((steps as Step[] | undefined) ?? []).map(step => ({
    direction: step.edge.source_id === step.from ? 'OUT' : 'IN',
    connection: toGraphql(edge, step.edge),
    memory: memoryIdOf(step.to, ownerIn(ctx)),
  }))
  showAsAsked(shown, input)
  return shown
}

export const readHistory: Resolver = async (parent, args, requestContext) => {
  const input = toContract(historyInput, args) as object
  const { versions } = await invoke('getMemoryHistory', contextOfMemory(requestContext.ctx, parent), {
    ...input,
    id: idOf(parent),
  })
  return toGraphql(historyOutput, versions)
}

export const readEmbedding: Resolver = async (parent, _args, requestContext) => {
  const ctx = contextOfMemory(requestContext.ctx, parent)
  const found = await load(requestContext, `embedding ${ctx.tenant}`, idOf(parent), ids =>
    memoriesById(ctx, ids),
  )
  return toGraphql(memory.shape.embedding, (found as { embedding: unknown } | undefined)?.embedding)
}

export const drawSubgraph: Resolver = async (_root, args, requestContext) => {
  permit('relatedMemories', requestContext.ctx)
  const input = check(subgraphInput, toContract(subgraphInput, args))
  const { nodes, edges, truncated } = await subgraph(requestContext.ctx, input, requestContext)
  const shown = {
    nodes: nodes.map(({ owner, ...node }) => ({ ...node, memory: memoryIdOf(node.id, owner) })),
    edges: edges.map(each => toGraphql(edge, each)),
    truncated,
  }
  showAsAsked(shown, input)
  return shown
}

const idOf = (parent: unknown) => (parent as Record<string, string>)[ID] as string
