import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Context } from '../../context.ts'
import type { Problem } from '../../contract/problems.ts'
import { check, invoke, permit } from '../../service/index.ts'
import { expected, problemDocument } from '../problems.ts'
import { hints } from './hints.ts'
import { texts } from './texts.ts'
import { type ToolRoute, toolInput } from './tools.ts'

/** The name under which a failed call has its problem document, as in REST. */
export const PROBLEM = 'mnemograph/problem'

/** What REST has in headers. */
type CallArguments = { wait?: number; if_version?: number }

/** Calls a tool. A failure is a result too: an agent reads in it how to fix the call. */
export async function callTool(ctx: Context, name: ToolRoute, args: unknown): Promise<CallToolResult> {
  try {
    permit(name, ctx)
    const { wait, if_version, ...input } = check(toolInput(name), args ?? {}) as CallArguments
    const expectedVersions = if_version === undefined ? undefined : [if_version]
    const answer = await invoke(name, { ...ctx, waitSeconds: wait, expectedVersions }, input)
    const format = texts[name] as (answer: unknown) => string
    return {
      content: [{ type: 'text', text: format(answer) }],
      structuredContent: answer as Record<string, unknown>,
    }
  } catch (thrown) {
    return refusal(problemOf(ctx, thrown))
  }
}

/** The problem document of a failure, as in REST. Faults are logged. */
export const problemOf = (ctx: Context, thrown: unknown): Problem =>
  problemDocument(expected(thrown, ctx.log), '/mcp', ctx.requestId)

function refusal(problem: Problem): CallToolResult {
  const { code, title, detail, errors = [], request_id } = problem
  const lines = [
    `${code}: ${detail === `${title}.` ? title : detail}`,
    ...errors.map(({ message }) => `- ${message}`),
    ...(hints[code] ? [`Hint: ${hints[code]}`] : []),
    `Request ${request_id}`,
  ]
  return { isError: true, content: [{ type: 'text', text: lines.join('\n') }], _meta: { [PROBLEM]: problem } }
}
