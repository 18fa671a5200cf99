import DataLoader from 'dataloader'
import type { RequestContext } from './graph.ts'

type Loaders = Map<string, DataLoader<string, unknown>>
const ofRequest = new WeakMap<RequestContext, Loaders>()

/** Batches reads by id within a request. It caches nothing, because a mutation may change the values. */
export function load(
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
