import DataLoader from 'dataloader'
import { edge } from '../../contract/graph.ts'
import { connectionsInput, historyInput, historyOutput, subgraphInput } from '../../contract/graphql.ts'
import { memory } from '../../contract/memory.ts'
import { memoriesById, type Step } from '../../service/graph/reads.ts'
import { connectionsOf, subgraph } from '../../service/graph/subgraph.ts'
import { check, invoke } from '../../service/index.ts'
import type { RequestContext } from './graph.ts'
import { ID } from './memories.ts'
import { toContract, toGraphql } from './names.ts'
import type { Resolver } from './operations.ts'

type Loaders = Map<string, DataLoader<string, unknown>>
const ofRequest = new WeakMap<RequestContext, Loaders>()

/** Reads the connections of all memories of a query at once, if the arguments are the same. */
export const loadConnections: Resolver = async (parent, args, requestContext) => {
  const input = check(connectionsInput, toContract(connectionsInput, args))
  const steps = await load(requestContext, `connections ${JSON.stringify(input)}`, idOf(parent), ids =>
    connectionsOf(requestContext.ctx, ids, input, requestContext),
  )
  return ((steps as Step[] | undefined) ?? []).map(step => ({
    direction: step.edge.source_id === step.from ? 'OUT' : 'IN',
    connection: toGraphql(edge, step.edge),
    memory: step.to,
  }))
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
  const { nodes, edges, truncated } = await subgraph(
    requestContext.ctx,
    toContract(subgraphInput, args),
    requestContext,
  )
  return {
    nodes: nodes.map(node => ({ ...node, memory: node.id })),
    edges: edges.map(each => toGraphql(edge, each)),
    truncated,
  }
}

const idOf = (parent: unknown) => (parent as Record<string, string>)[ID] as string

/** Batches reads by id within a request. It caches nothing, because a mutation may change the values. */
function load(
  requestContext: RequestContext,
  name: string,
  id: string,
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, unknown>>,
): Promise<unknown> {
  const loaders = ofRequest.get(requestContext) ?? (new Map() as Loaders)
  ofRequest.set(requestContext, loaders)
  const batch = async (ids: readonly string[]) => {
    const found = await read([...new Set(ids)])
    return ids.map(each => found.get(each))
  }
  const loader = loaders.get(name) ?? new DataLoader(batch, { cache: false })
  loaders.set(name, loader)
  return loader.load(id)
}
