import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { messageOf } from '../../contract/faults.ts'

type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>

/** A server that says in a sentence which parameter of a request is wrong. The package answers with a fault of its own and the JSON of its check. */
export class CheckedServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler)
    return (request, ctx) =>
      wrapped(request, ctx).catch(error => {
        throw refusal(request, error) ?? error
      })
  }
}

function refusal(request: JSONRPCRequest, { message }: Error): ProtocolError | undefined {
  const issues = issuesIn(message.slice(message.search(/\[\s*\{/)))
  if (issues === undefined) return undefined
  const said = issues.map(issue =>
    messageOf({ ...issue, input: valueAt(request, issue.path) } as typeof issue),
  )
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid parameters: ${said.join(' ')}`)
}

function issuesIn(dump: string): z.core.$ZodIssue[] | undefined {
  try {
    const issues = JSON.parse(dump)
    return Array.isArray(issues) ? issues : undefined
  } catch {
    return undefined
  }
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((at, name) => (at as Record<PropertyKey, unknown> | undefined)?.[name], value)
