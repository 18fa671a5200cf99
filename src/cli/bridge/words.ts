import { SdkError, SdkHttpError } from '@modelcontextprotocol/client'
import { problem } from '../../contract/problems.ts'
import { isConnectionLost } from '../loading/patience.ts'
import { code, isMessage, type RpcError } from './messages.ts'

/** Why the service did not respond: the message for the caller, and whether the operator of the bridge must act. */
export type Trouble = { error: RpcError; standing: boolean }

const trouble = (message: string, standing: boolean, data?: unknown): Trouble => ({
  error: { code: code.refused, message, ...(data === undefined ? {} : { data }) },
  standing,
})

/** What went wrong with a call to the service, in words, with what helps. */
export function explain(error: unknown, url: URL): Trouble {
  if (error instanceof SdkHttpError) return answered(error, url)
  if (isConnectionLost(error)) return unreachable(error, url)
  if (error instanceof SdkError) return trouble(`${strange(url)} (${error.message})`, true)
  return trouble(
    `The call to Mnemograph failed: ${error instanceof Error ? error.message : String(error)}`,
    false,
  )
}

export const brokenOff = () =>
  trouble(
    'The connection to Mnemograph broke during the call. It may have been carried out: look before you repeat it.',
    false,
  )

function answered(error: SdkHttpError, url: URL): Trouble {
  const { status, text } = error.data as { status: number; text?: string }
  const body = read(text)
  if (isMessage(body) && body.error) return { error: body.error, standing: false }
  const told = problem.safeParse(body).data
  const detail = told ? `${told.title}: ${told.detail}` : `HTTP ${status}`
  switch (status) {
    case 401:
      return trouble(
        `Mnemograph refuses the key. ${detail} Set SERVICE_MCP_API_KEY to the server's key or to one of a tenant (mnemograph keys create).`,
        true,
        told,
      )
    case 403:
      return trouble(`Mnemograph refuses the call. ${detail}`, true, told)
    case 404:
      return trouble(strange(url), true, told)
    default:
      return told ? trouble(detail, false, told) : trouble(`${strange(url)} (${detail})`, true)
  }
}

const strange = (url: URL) =>
  `What answers at ${url} is not Mnemograph. Set SERVICE_MCP_URL to the address of its /mcp.`

/** A connection that was not made was not used; one that broke may have been. */
function unreachable({ cause }: { cause: unknown }, url: URL): Trouble {
  const { code: reason = '' } = cause as { code?: string }
  if (/^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(reason)) return brokenOff()
  const why = reason === 'ECONNREFUSED' ? 'nothing listens there' : reason || String(cause)
  return trouble(
    `Mnemograph does not answer at ${url}: ${why}. Start it (npm start), or set SERVICE_MCP_URL to where it runs. Then call again.`,
    true,
  )
}

function read(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
