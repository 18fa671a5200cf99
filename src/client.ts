import { type Input, type Output, type RouteName, routeNames, routes } from './contract/index.ts'
import { readKey, refuseCredentials } from './contract/key-text.ts'
import { type Problem, problem } from './contract/problems.ts'
import { hasBody, namesInPath, type Route, type TextStream } from './contract/route.ts'
import { textIn } from './server-events.ts'

/** The service refused or failed; `problem` is its answer, if that is readable. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly status: number
  readonly problem: Problem | undefined
  readonly headers: Headers

  constructor(status: number, document: Problem | undefined, headers: Headers) {
    super(document ? `${document.title}: ${document.detail}` : `The service answered ${status}`)
    this.status = status
    this.problem = document
    this.headers = headers
  }
}

export type ClientOptions = {
  /** With the base path, for instance `http://127.0.0.1:4545/api/v1`. */
  baseUrl: string
  apiKey?: string | undefined
  /** For the operator's key only. */
  tenant?: string | undefined
  fetch?: typeof fetch
  /** Makes a key for each call that creates something: one that is repeated creates nothing twice. */
  mintKey?: () => string
}

type CallOptions = {
  headers?: Record<string, string>
  signal?: AbortSignal
  /** Seconds that a create or a change waits for its embedding and its discovery, at most 30. */
  wait?: number
}

type Arguments<Name extends RouteName> =
  Record<never, never> extends Input<Name>
    ? [input?: Input<Name>, options?: CallOptions]
    : [input: Input<Name>, options?: CallOptions]

/** One method for each route of the contract. */
export type Client = { [Name in RouteName]: (...args: Arguments<Name>) => Promise<Output<Name>> }

/**
 * A client whose methods throw ProblemError for every answer that is not a success.
 * @throws UnusableKeyError if no header can carry the key
 */
export function createClient({ apiKey, ...rest }: ClientOptions): Client {
  refuseCredentials(rest.baseUrl)
  const options = { ...rest, ...(apiKey === undefined ? {} : { apiKey: readKey(apiKey) }) }
  const methods = routeNames.map(name => [
    name,
    (input = {}, call: CallOptions = {}) => send(options, routes[name], input, call),
  ])
  return Object.fromEntries(methods) as Client
}

async function send(options: ClientOptions, route: Route, input: Record<string, unknown>, call: CallOptions) {
  const { url, body } = requestOf(options.baseUrl, route, input)
  const response = await (options.fetch ?? fetch)(url, {
    method: route.method,
    headers: {
      ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
      ...(options.tenant === undefined ? {} : { 'x-tenant-id': options.tenant }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(call.wait === undefined ? {} : { prefer: `wait=${call.wait}` }),
      ...(route.creates && options.mintKey && !hasKey(call) ? { 'idempotency-key': options.mintKey() } : {}),
      ...call.headers,
    },
    ...(body === undefined ? {} : { body }),
    ...(call.signal ? { signal: call.signal } : {}),
  })
  if (response.ok && route.mediaTypes) return streamOf(response)
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok || (response.status === 503 && route.path === '/ready')) return route.output.parse(answer)
  throw new ProblemError(response.status, problem.safeParse(answer).data, response.headers)
}

const hasKey = ({ headers = {} }: CallOptions) =>
  Object.keys(headers).some(name => name.toLowerCase() === 'idempotency-key')

/** The text as it arrives. An answer that is cut off throws where it ends. */
function streamOf({ headers, body }: Response): TextStream {
  return {
    mediaType: headers.get('content-type')?.split(';')[0] ?? '',
    fileName: /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1],
    pieces: textIn(body ?? new Blob([]).stream()),
  }
}

/** An object in a query is a JSON text. */
const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

/** Names in the path go there, the rest into the query or the body. Lists in a query repeat the parameter. */
function requestOf(baseUrl: string, route: Route, input: Record<string, unknown>) {
  const inPath = namesInPath(route.path)
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input[name])),
  )
  const rest = Object.entries(input).filter(([name, value]) => !inPath.includes(name) && value !== undefined)
  if (hasBody(route)) return { url: baseUrl + path, body: JSON.stringify(Object.fromEntries(rest)) }
  const query = new URLSearchParams(
    rest.flatMap(([name, value]) => [value].flat().map((item): [string, string] => [name, textOf(item)])),
  )
  return { url: `${baseUrl}${path}${query.size > 0 ? `?${query}` : ''}`, body: undefined }
}
