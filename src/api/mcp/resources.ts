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
export const uriOf = (memoryId: string) => SCHEME + memoryId

/** So many of the newest memories are offered each by its own name. */
const NEWEST = 20

type Fixed = Resource & { readonly mimeType: string; readonly read: (ctx: Context) => Promise<string> }

const fixed: readonly Fixed[] = [
  {
    uri: RECENT,
    name: 'recent',
    title: 'Recent memories',
    description: `The ${NEWEST} newest memories, each by its beginning.`,
    mimeType: 'text/plain',
    read: async ctx =>
      (await newest(ctx)).map(memory => brief(memory)).join('\n') || 'Nothing is remembered yet.',
  },
  {
    uri: `${SCHEME}context`,
    name: 'context',
    title: 'What to know at the start',
    description:
      'What is pinned, open conflicts, what is used most, and what is newest, as one text of at most 2,000 tokens.',
    mimeType: 'text/plain',
    read: async ctx => (await invoke('composeContext', ctx, {})).text,
  },
  {
    uri: `${SCHEME}graph-model`,
    name: 'graph-model',
    title: 'The graph of memories',
    description: 'What a memory holds, what the types of connections mean, and which policies there are.',
    mimeType: 'text/markdown',
    read: async ctx => describeGraph((await invoke('listPolicies', ctx, {})).policies),
  },
  {
    uri: `${SCHEME}communities`,
    name: 'communities',
    title: 'The subjects that memories are about',
    description:
      'The largest communities of the graph: what each is about, how many memories it has, and its most central ones. The id filters searches and lists.',
    mimeType: 'text/markdown',
    read: async ctx => describeCommunities(await invoke('listCommunities', ctx, {})),
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
  return [...fixed.map(({ read: _, ...resource }) => resource), ...(await newest(ctx)).map(asResource)]
}

/** @throws ResourceNotFoundError, and ServiceError like the operation behind it */
export async function readResource(ctx: Context, uri: string): Promise<{ mimeType: string; text: string }> {
  const known = fixed.find(each => each.uri === uri)
  if (known) return { mimeType: known.mimeType, text: await known.read(ctx) }
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
