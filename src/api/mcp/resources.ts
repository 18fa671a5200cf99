import { type Resource, ResourceNotFoundError, type ResourceTemplateType } from '@modelcontextprotocol/server'
import type { Context } from '../../context.ts'
import type { Memory } from '../../contract/memory.ts'
import { ServiceError } from '../../contract/problems.ts'
import { id } from '../../contract/values.ts'
import { invoke } from '../../service/index.ts'
import { readId } from './arguments.ts'
import { describeCommunities } from './communities.ts'
import { describeGraph } from './graph-model.ts'
import { brief } from './texts.ts'

const SCHEME = 'memory://'
export const RECENT = `${SCHEME}recent`
const OVERVIEW = `${SCHEME}context`
const GRAPH_MODEL = `${SCHEME}graph-model`
const COMMUNITIES = `${SCHEME}communities`
export const uriOf = (memoryId: string) => SCHEME + memoryId

/** So many of the newest memories are offered each by its own name. */
const NEWEST = 20

const fixed: readonly Resource[] = [
  {
    uri: RECENT,
    name: 'recent',
    title: 'Recent memories',
    description: `The ${NEWEST} newest memories, each by its beginning.`,
    mimeType: 'text/plain',
  },
  {
    uri: OVERVIEW,
    name: 'context',
    title: 'What to know at the start',
    description:
      'What is pinned, open conflicts, what is used most, and what is newest, as one text of at most 2,000 tokens.',
    mimeType: 'text/plain',
  },
  {
    uri: GRAPH_MODEL,
    name: 'graph-model',
    title: 'The graph of memories',
    description: 'What a memory holds, what the types of connections mean, and which policies there are.',
    mimeType: 'text/markdown',
  },
  {
    uri: COMMUNITIES,
    name: 'communities',
    title: 'The subjects that memories are about',
    description:
      'The largest communities of the graph: what each is about, how many memories it has, and its most central ones. The id filters searches and lists.',
    mimeType: 'text/markdown',
  },
]

export const templates: readonly ResourceTemplateType[] = [
  {
    uriTemplate: `${SCHEME}{id}`,
    name: 'memory',
    title: 'A memory',
    description: 'A memory by its id, active or archived, with all its fields. Reading it records no recall.',
    mimeType: 'application/json',
  },
]

export async function listResources(ctx: Context): Promise<Resource[]> {
  return [...fixed, ...(await newest(ctx)).map(asResource)]
}

/** @throws ResourceNotFoundError, and ServiceError like the operation behind it */
export async function readResource(ctx: Context, uri: string): Promise<{ mimeType: string; text: string }> {
  if (uri === RECENT) {
    const memories = await newest(ctx)
    return {
      mimeType: 'text/plain',
      text: memories.map(memory => brief(memory)).join('\n') || 'Nothing is remembered yet.',
    }
  }
  if (uri === OVERVIEW)
    return { mimeType: 'text/plain', text: (await invoke('composeContext', ctx, {})).text }
  if (uri === GRAPH_MODEL) {
    const { policies } = await invoke('listPolicies', ctx, {})
    return { mimeType: 'text/markdown', text: describeGraph(policies) }
  }
  if (uri === COMMUNITIES)
    return { mimeType: 'text/markdown', text: describeCommunities(await invoke('listCommunities', ctx, {})) }
  const named = id.safeParse(uri.trim().startsWith(SCHEME) ? readId(uri) : '')
  if (!named.success) throw new ResourceNotFoundError(uri)
  const memory = await invoke('getMemory', ctx, { id: named.data, record_recall: false }).catch(error => {
    throw error instanceof ServiceError && error.code === 'memory_not_found'
      ? new ResourceNotFoundError(uri)
      : error
  })
  return { mimeType: 'application/json', text: JSON.stringify(memory, null, 2) }
}

const newest = async (ctx: Context): Promise<Memory[]> =>
  (await invoke('listMemories', ctx, { limit: NEWEST })).memories

function asResource({ id: memoryId, content, importance, updated_at }: Memory): Resource {
  const title = Array.from(content.trim().split('\n')[0] ?? '')
    .slice(0, 80)
    .join('')
  return {
    uri: uriOf(memoryId),
    name: memoryId,
    title,
    mimeType: 'application/json',
    annotations: { priority: importance, lastModified: updated_at },
  }
}
