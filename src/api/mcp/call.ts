import type { CallToolResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { routes } from '../../contract/index.ts'
import type { JsonFault } from '../../contract/json.ts'
import { invalid, type Problem, shortenText } from '../../contract/problems.ts'
import type { Route } from '../../contract/route.ts'
import { check, invoke, permitRecorded } from '../../service/index.ts'
import { expected, problemDocument } from '../problems.ts'
import { readArguments } from './arguments.ts'
import { hints } from './hints.ts'
import { shorten } from './outputs.ts'
import { type Shown, texts } from './texts.ts'
import { sentBy, type ToolRoute, toolInput } from './tools.ts'

/** The name under which a failed call has its problem document, as in REST. */
export const PROBLEM = 'mnemograph/problem'

/** What REST has in headers, and what shapes the answer of a tool alone. */
type CallArguments = {
  wait?: number
  if_version?: number
  idempotency_key?: string
  start?: number
  only?: string[]
}

/** A field of every answer. */
export const ignored = z.array(z.string()).optional().describe('Arguments that the tool does not have.')

/** More names would be no help. */
const NAMED = 10

/**
 * Calls a tool. A failure is a result too: an agent reads in it how to fix the call. `changed` is what the JSON of the
 * call says otherwise than its parsed value.
 */
export async function callTool(
  ctx: Context,
  name: ToolRoute,
  args: unknown,
  changed?: JsonFault,
): Promise<CallToolResult> {
  const strays: string[] = []
  try {
    await permitRecorded(name, ctx, args)
    if (changed) throw invalid(changed.pointer.replace(ARGUMENTS, ''), changed.code, changed.rule)
    const read = readArguments(toolInput(name), args, narrowsOf(name))
    strays.push(...read.ignored.slice(0, NAMED).map(shortenText))
    const checked = check(toolInput(name), read.input) as CallArguments
    return await answerOf(ctx, name, checked, strays)
  } catch (thrown) {
    return refusal(problemOf(ctx, thrown), strays)
  }
}

const narrowsOf = (name: ToolRoute) => (routes[name] as Route).narrows

const ARGUMENTS = /^(\/\d+)?\/params\/arguments/

async function answerOf(ctx: Context, name: ToolRoute, args: CallArguments, strays: readonly string[]) {
  const { wait, if_version, idempotency_key: idempotencyKey, start = 0, only, ...input } = args
  const expectedVersions = if_version === undefined ? undefined : [if_version]
  const withPassages = name === 'searchMemories' ? { ...input, highlight: true } : input
  const asking = { ...ctx, waitSeconds: wait, expectedVersions }
  const sent = sentBy(name, withPassages)
  const answer = await invoke(name, asking, sent, { idempotencyKey })
  const format = texts[name] as (answer: unknown, shown: Shown) => string
  const fields = Object.entries(shorten(name, answer, start))
  return {
    content: [{ type: 'text' as const, text: [format(answer, { start, only }), ...told(strays)].join('\n') }],
    structuredContent: {
      ...Object.fromEntries(fields.filter(([field]) => only?.includes(field) ?? true)),
      ...(strays.length > 0 && { ignored: [...strays] }),
    },
  }
}

const told = (strays: readonly string[]) =>
  strays.length > 0 ? [`Ignored, because this tool has no such argument: ${strays.join(', ')}.`] : []

/** The problem document of a failure, as in REST. Faults are logged. */
export const problemOf = (ctx: Context, thrown: unknown): Problem =>
  problemDocument(expected(thrown, ctx.log), '/mcp', ctx.requestId)

function refusal(problem: Problem, strays: readonly string[] = []): CallToolResult {
  const { code, title, detail, errors = [], request_id } = problem
  const lines = [
    `${code}: ${detail === `${title}.` ? title : detail}`,
    ...errors.map(({ message }) => `- ${message}`),
    ...told(strays),
    ...(hints[code] ? [`Hint: ${hints[code]}`] : []),
    `Request ${request_id}`,
  ]
  return { isError: true, content: [{ type: 'text', text: lines.join('\n') }], _meta: { [PROBLEM]: problem } }
}
