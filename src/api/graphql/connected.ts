import { edge } from '../../contract/graph.ts'
import { connectionsInput, historyInput, historyOutput, subgraphInput } from '../../contract/graphql.ts'
import { memory } from '../../contract/memory.ts'
import { memoriesById, type Step } from '../../service/graph/reads.ts'
import { connectionsOf, subgraph } from '../../service/graph/subgraph.ts'
import { check, invoke } from '../../service/index.ts'
import { load } from './batches.ts'
import { toContract, toGraphql } from './names.ts'
import { isOfThePast, type Resolver } from './operations.ts'
import { asOfOf, showAsOf } from './past.ts'
import { ID, showArchived } from './shown.ts'

/** Reads the connections of all memories of a query at once, if the arguments are the same. */
export const loadConnections: Resolver = async (parent, args, requestContext) => {
  const asOf = asOfOf(parent)
  const asked = toContract(connectionsInput, args) as object
  const input = check(connectionsInput, { ...(asOf !== undefined && { as_of: asOf }), ...asked })
  const steps = await load(requestContext, `connections ${JSON.stringify(input)}`, idOf(parent), ids =>
    connectionsOf(requestContext.ctx, ids, input, requestContext),
  )
  const shown = ((steps as Step[] | undefined) ?? []).map(step => ({
    direction: step.edge.source_id === step.from ? 'OUT' : 'IN',
    connection: toGraphql(edge, step.edge),
    memory: step.to,
  }))
  if (isOfThePast(input)) showArchived(shown)
  if (input.as_of !== undefined) showAsOf(shown, input.as_of)
  return shown
}

export const readHistory: Resolver = async (parent, args, requestContext) => {
  const input = toContract(historyInput, args) as object
  const { versions } = await invoke('getMemoryHistory', requestContext.ctx, { ...input, id: idOf(parent) })
  return toGraphql(historyOutput, versions)
}

export const readEmbedding: Resolver = async (parent, _args, requestContext) => {
  const found = await load(requestContext, 'embedding', idOf(parent), ids =>
    memoriesById(requestContext.ctx, ids),
  )
  return toGraphql(memory.shape.embedding, (found as { embedding: unknown } | undefined)?.embedding)
}

export const drawSubgraph: Resolver = async (_root, args, requestContext) => {
  const input = check(subgraphInput, toContract(subgraphInput, args))
  const { nodes, edges, truncated } = await subgraph(requestContext.ctx, input, requestContext)
  const shown = {
    nodes: nodes.map(node => ({ ...node, memory: node.id })),
    edges: edges.map(each => toGraphql(edge, each)),
    truncated,
  }
  if (isOfThePast(input)) showArchived(shown)
  if (input.as_of !== undefined) showAsOf(shown, input.as_of)
  return shown
}

const idOf = (parent: unknown) => (parent as Record<string, string>)[ID] as string
