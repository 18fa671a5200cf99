import { SdkError, SdkHttpError } from '@modelcontextprotocol/client'
import { problem } from '../../contract/problems.ts'
import { isConnectionLost } from '../../retry.ts'
import { jsonIn } from '../shell/command.ts'
import { code, isMessage, type RpcError } from './messages.ts'

/** Why the service did not respond: the message for the caller, and whether the operator of the bridge must act. */
export type UpstreamError = { error: RpcError; isLasting: boolean }

const upstreamError = (message: string, isLasting: boolean, data?: unknown): UpstreamError => ({
  error: { code: code.refused, message, ...(data === undefined ? {} : { data }) },
  isLasting,
})

/** Describes a failed call and its remedy. */
export function explain(error: unknown, url: URL): UpstreamError {
  if (error instanceof SdkHttpError) return answered(error, url)
  if (isConnectionLost(error)) return unreachable(error, url)
  if (error instanceof SdkError) return upstreamError(`${unexpectedAnswer(url)} (${error.message})`, true)
  return upstreamError(
    `The call to Mnemograph failed: ${error instanceof Error ? error.message : String(error)}`,
    false,
  )
}

export const brokenOff = () =>
  upstreamError(
    'The connection to Mnemograph broke during the call. It may have been carried out: look before you repeat it.',
    false,
  )

function answered(error: SdkHttpError, url: URL): UpstreamError {
  const { status, text } = error.data as { status: number; text?: string }
  const body = jsonIn(text ?? '')
  if (isMessage(body) && body.error) return { error: body.error, isLasting: false }
  const document = problem.safeParse(body).data
  const detail = document ? `${document.title}: ${document.detail}` : `HTTP ${status}`
  switch (status) {
    case 401:
      return upstreamError(
        `Mnemograph refuses the key. ${detail} Set SERVICE_MCP_API_KEY to the server's key or to one of a tenant (mnemograph keys create).`,
        true,
        document,
      )
    case 403:
      return upstreamError(`Mnemograph refuses the call. ${detail}`, true, document)
    case 404:
      return upstreamError(unexpectedAnswer(url), true, document)
    default:
      return document
        ? upstreamError(detail, false, document)
        : upstreamError(`${unexpectedAnswer(url)} (${detail})`, true)
  }
}

const unexpectedAnswer = (url: URL) =>
  `The server at ${url} is not Mnemograph. Set SERVICE_MCP_URL to the address of its /mcp.`

/** If no connection was made, nothing was done. If it broke, the call may have been carried out. */
function unreachable({ cause }: { cause: unknown }, url: URL): UpstreamError {
  const { code: reason = '' } = cause as { code?: string }
  if (/^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(reason)) return brokenOff()
  const why = reason === 'ECONNREFUSED' ? 'nothing listens there' : reason || String(cause)
  return upstreamError(
    `Mnemograph does not answer at ${url}: ${why}. Start it (npm start), or set SERVICE_MCP_URL to where it runs. Then call again.`,
    true,
  )
}
