import { createHmac } from 'node:crypto'
import { Agent, buildConnector, type Dispatcher, request } from 'undici'
import { type AddressGuard, addressOf, PrivateAddress } from './public-address.ts'

/** A signed message as Standard Webhooks has it. */
type WebhookMessage = {
  readonly url: string
  /** `whsec_` and 32 bytes in base64. */
  readonly secret: string
  readonly id: string
  readonly body: string
}

/** What came of an attempt: no error if the receiver answered with a status from 200 to 299. */
type Sent = { readonly error: string | null; readonly retryAfterSeconds: number | null }

export type WebhookSender = {
  send(message: WebhookMessage, signal: AbortSignal): Promise<Sent>
}

const SEND_MS = 10_000
const CONNECT_MS = 5_000
const LONGEST_ANSWER_BYTES = 16_384
const CONNECTIONS = 8

/** Sends webhooks to permitted addresses, which each new connection checks. Follows no redirect, keeps no answer. */
export function createWebhookSender(guard: AddressGuard, timeoutMs = SEND_MS): WebhookSender {
  const dispatcher = createGuardedAgent(guard)
  return {
    async send({ url, secret, id, body }, stop) {
      const seconds = Math.floor(Date.now() / 1000)
      const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
      try {
        const answer = await request(url, {
          method: 'POST',
          dispatcher,
          signal,
          headers: {
            'content-type': 'application/json',
            'user-agent': 'mnemograph',
            'webhook-id': id,
            'webhook-timestamp': String(seconds),
            'webhook-signature': sign(secret, `${id}.${seconds}.${body}`),
          },
          body,
        })
        answer.body.dump({ limit: LONGEST_ANSWER_BYTES }).catch(() => {})
        return outcomeOf(answer)
      } catch (error) {
        return { error: reasonOf(error), retryAfterSeconds: null }
      }
    },
  }
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
function sign(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`
}

/** A host that is an address is not looked up: it is checked on its own. */
function createGuardedAgent(guard: AddressGuard): Dispatcher {
  const connect = buildConnector({ timeout: CONNECT_MS, lookup: guard.lookup })
  return new Agent({
    connections: CONNECTIONS,
    allowH2: false,
    headersTimeout: SEND_MS,
    bodyTimeout: SEND_MS,
    connect(options, done) {
      const address = addressOf(options.hostname)
      if (address !== undefined && !guard.permits(address))
        done(new PrivateAddress(`${address} is not permitted`), null)
      else connect(options, done)
    },
  })
}

function outcomeOf({ statusCode, headers }: Dispatcher.ResponseData): Sent {
  if (statusCode >= 200 && statusCode < 300) return { error: null, retryAfterSeconds: null }
  const seconds = Number(headers['retry-after'])
  return {
    error: `the receiver answered with status ${statusCode}`,
    retryAfterSeconds: Number.isFinite(seconds) && seconds > 0 ? seconds : null,
  }
}

const NO_PUBLIC_ADDRESS =
  'the host has no public address; the operator can allow private networks with SERVICE_WEBHOOK_NETWORKS'

/** Says what failed, and nothing that the receiver has sent. */
function reasonOf(error: unknown): string {
  const { name, code, syscall } = error as { name?: string; code?: string; syscall?: string }
  // A tenant must not learn which names the network of the service knows.
  if (error instanceof PrivateAddress || syscall === 'getaddrinfo') return NO_PUBLIC_ADDRESS
  if (name === 'TimeoutError' || code === 'UND_ERR_HEADERS_TIMEOUT')
    return 'the receiver did not answer in time'
  return `the request failed: ${code ?? name ?? 'unknown error'}`
}
