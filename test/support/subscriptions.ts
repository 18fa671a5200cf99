import { createClient as createSse } from 'graphql-sse'
import { createClient as createSocket } from 'graphql-ws'
import WebSocket from 'ws'
import type { Json } from './graphql.ts'
import { OPERATOR_KEY, type TestService } from './service.ts'

type Options = { key?: string; tenant?: string /** What the key of a tenant names. */; named?: string }
type Client = {
  iterate(asked: { query: string; variables?: Record<string, unknown> }): AsyncIterableIterator<Json>
  dispose(): void
}

const headersOf = ({ tenant: own }: TestService, { key = OPERATOR_KEY, tenant = own, named }: Options) => ({
  authorization: `Bearer ${key}`,
  ...(key === OPERATOR_KEY ? { 'x-tenant-id': tenant } : named === undefined ? {} : { 'x-tenant-id': named }),
})

/** The two ways to subscribe, each by the client that others use. */
export const ways: Record<string, (service: TestService, options?: Options) => Client> = {
  'graphql-ws': (service, options = {}) =>
    createSocket({
      url: `${service.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: headersOf(service, options),
      retryAttempts: 0,
    }) as Client,
  'graphql-sse': (service, options = {}) =>
    createSse({
      url: `${service.url}/graphql`,
      headers: headersOf(service, options),
      retryAttempts: 0,
    }) as Client,
}
