import { type ToolSet, tool } from 'ai'
import type { z } from 'zod'
import { sentBy, type ToolRoute, toolInput, toolName, toolRoutes, tools } from '../../../src/api/mcp/tools.ts'
import type { Client } from '../../../src/client.ts'

/** What an agent needs in a conversation; the other operations can be named. */
const usual = ['composeContext', 'createMemory', 'searchMemories', 'updateMemory'] as const

export type MemoryToolsOptions = {
  /** Operations by the names of the client, for instance `relatedMemories`. Default: recall, store, search, change. */
  operations?: readonly ToolRoute[]
}

/**
 * Tools of the Vercel AI SDK with which a model recalls and stores memories: the tools that the service offers over MCP, by
 * the same names. A refused call throws a `ProblemError`, whose message the SDK shows to the model.
 */
export function memoryTools(client: Client, { operations = usual }: MemoryToolsOptions = {}): ToolSet {
  const names = operations.filter(name => toolRoutes.includes(name))
  return Object.fromEntries(names.map(name => [toolName(name), toolOf(client, name)]))
}

function toolOf(client: Client, name: ToolRoute) {
  const call = client[name] as (input: object, options: object) => Promise<unknown>
  return tool({
    description: tools[name].use,
    inputSchema: toolInput(name) as z.ZodType<Record<string, unknown>>,
    execute: ({ wait, if_version, ...input }, { abortSignal }) =>
      call(sentBy(name, input), {
        ...(wait !== undefined && { wait }),
        ...(if_version !== undefined && { headers: { 'if-match': `"${if_version}"` } }),
        ...(abortSignal && { signal: abortSignal }),
      }),
  })
}
