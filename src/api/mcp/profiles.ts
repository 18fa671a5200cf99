import { z } from 'zod'
import { invalid } from '../../contract/problems.ts'
import { type Tool, type ToolRoute, toolInput, toolRoutes, tools } from './tools.ts'

/** Which tools a host lists. Each tool does the same in every profile. */
export const toolProfiles = ['all', 'small'] as const
export type ToolProfile = (typeof toolProfiles)[number]

/** How a profile shows a tool: when to use it, and the arguments that its schema names. */
type Shown = { readonly use: string; readonly input: z.ZodObject }

/** What a list costs a model it pays with every request, and some hosts take few tools. */
const small: Partial<Record<ToolRoute, { readonly use: string; readonly arguments: readonly string[] }>> = {
  composeContext: {
    use: 'Use this first: everything remembered about a question, as one text within a token budget; an overview without query. Contradictions appear next to what they contradict; each memory has its id.',
    arguments: ['query', 'max_tokens', 'tags'],
  },
  searchMemories: {
    use: 'Find single memories, to change or to forget one. search_type: hybrid in general, keyword for names and exact words.',
    arguments: ['query', 'search_type', 'limit', 'tags'],
  },
  getMemory: {
    use: 'The whole of a memory by its id: searches show a passage only.',
    arguments: ['id', 'start'],
  },
  createMemory: {
    use: 'Store one fact, decision or preference that will matter later, in words that make sense on their own. supersedes names the memories that it replaces.',
    arguments: ['content', 'tags', 'importance', 'policy', 'session_id', 'supersedes', 'visibility'],
  },
  updateMemory: {
    use: 'Change a memory that is wrong or out of date; only the fields sent change.',
    arguments: ['id', 'content', 'tags', 'importance', 'policy'],
  },
  deleteMemory: {
    use: 'Forget a memory: it is archived and no longer found. hard true removes it for good; only when the user asks for that.',
    arguments: ['id', 'hard'],
  },
}

/** The tools of a profile in the order in which they are listed. */
export const toolsOf: Readonly<Record<ToolProfile, readonly ToolRoute[]>> = {
  all: toolRoutes,
  small: Object.keys(small) as ToolRoute[],
}

export function shownIn(profile: ToolProfile, name: ToolRoute): Shown {
  const input = toolInput(name)
  const brief = profile === 'small' ? small[name] : undefined
  if (brief === undefined) return { use: (tools[name] as Tool).use, input }
  const shown = brief.arguments.map(each => [each, input.shape[each]])
  return { use: brief.use, input: z.object(Object.fromEntries(shown)) }
}

/** The profile that an address asks for with `?tools=`. @throws ServiceError `validation_failed` */
export function profileIn(asked: unknown, fallback: ToolProfile): ToolProfile {
  if (asked === undefined) return fallback
  const profile = toolProfiles.find(each => each === asked)
  if (profile === undefined)
    throw invalid('/tools', 'invalid_value', `must be one of: ${toolProfiles.join(', ')}`)
  return profile
}
