import { keepOutput } from './output.ts'
import { OPERATOR_KEY, type TestService } from './service.ts'

type Fault = {
  message: string
  path?: (string | number)[]
  extensions: { code: string; requestId?: string; errors?: { pointer: string }[]; bound?: string }
}
export type Answer = { status: number; data: Json; errors: Fault[]; text: string; headers: Headers }
/** The data of a response, of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of any shape
export type Json = any

type Options = {
  key?: string
  tenant?: string
  variables?: Record<string, unknown>
  headers?: Record<string, string>
}

/** Sends a query to a service, by default as the operator in the service's tenant. */
export async function graphql(
  service: TestService,
  query: string,
  { key = OPERATOR_KEY, tenant = service.tenant, variables, headers = {} }: Options = {},
): Promise<Answer> {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(key === OPERATOR_KEY ? { 'x-tenant-id': tenant } : {}),
      ...headers,
    },
    body: JSON.stringify({ query, ...(variables ? { variables } : {}) }),
  })
  const text = await response.text()
  const { data, errors = [] } = JSON.parse(text) as Partial<Answer>
  if (errors.length > 0) keepOutput(JSON.stringify(errors))
  return { status: response.status, data, errors, text, headers: response.headers }
}

/** The data of a query that must not fail. */
export async function ask(service: TestService, query: string, options: Options = {}): Promise<Json> {
  const { data, errors } = await graphql(service, query, options)
  if (errors.length > 0) throw new Error(JSON.stringify(errors))
  return data
}
