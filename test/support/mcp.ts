import { randomUUID } from 'node:crypto'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport as OldTransport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { ToolRoute } from '../../src/api/mcp/tools.ts'
import { keepOutput } from './output.ts'
import { OPERATOR_KEY, type TestService } from './service.ts'
import type { Names } from './tenant-probes.ts'

const REVISION = '2026-07-28'

/** What the clients of all kinds have in common. */
export type McpClient = Pick<
  Client,
  | 'listTools'
  | 'callTool'
  | 'listResources'
  | 'listResourceTemplates'
  | 'readResource'
  | 'listPrompts'
  | 'getPrompt'
  | 'close'
>

/** The clients there are: that of the 1.x line, and that of the 2.x line as it speaks to old and to new servers. */
export const kinds = ['1.x', '2.x, initialize', `2.x, ${REVISION}`] as const
export type Kind = (typeof kinds)[number]

const info = { name: 'client of the tests', version: '1' }

/** A client over HTTP, for the operator in the service's tenant unless headers say otherwise. */
export async function connectHttp(
  kind: Kind,
  service: Pick<TestService, 'url' | 'tenant'>,
  headers: Record<string, string> = {
    authorization: `Bearer ${OPERATOR_KEY}`,
    'x-tenant-id': service.tenant,
  },
  query = '',
): Promise<McpClient> {
  const url = new URL(`${service.url}/mcp${query}`)
  const options = { requestInit: { headers } }
  return connect(kind, {
    old: () => new OldHttpTransport(url, options) as OldTransport,
    current: () => new StreamableHTTPClientTransport(url, options),
  })
}

type Transports = { old: () => OldTransport; current: () => Parameters<Client['connect']>[0] }

export async function connect(kind: Kind, { old, current }: Transports): Promise<McpClient> {
  if (kind === '1.x') {
    const client = new OldClient(info)
    await client.connect(old())
    return client as unknown as McpClient
  }
  const mode = kind === '2.x, initialize' ? ('legacy' as const) : { pin: REVISION }
  const client = new Client(info, { versionNegotiation: { mode } })
  await client.connect(current())
  return client
}

/** A request of the current revision as it goes over the wire. */
export function modernRequest(method: string, params: Record<string, unknown> = {}) {
  const name = params.name ?? params.uri
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': String(name) }),
    } as Record<string, string>,
    message: {
      jsonrpc: '2.0',
      id: randomUUID(),
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': REVISION,
          'io.modelcontextprotocol/clientInfo': info,
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
  }
}

export type Answer = {
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: unknown }
}

/** What the service answers to a request of the current revision. */
export async function post(
  { url, tenant }: Pick<TestService, 'url' | 'tenant'>,
  method: string,
  params: Record<string, unknown>,
  headers: Record<string, string> = { authorization: `Bearer ${OPERATOR_KEY}`, 'x-tenant-id': tenant },
): Promise<Response> {
  const { message, headers: standard } = modernRequest(method, params)
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...standard, ...headers },
    body: JSON.stringify(message),
  })
}

export async function ask(...request: Parameters<typeof post>): Promise<Answer> {
  const answer = (await (await post(...request)).json()) as Answer
  if (answer.error || answer.result?.isError) keepOutput(JSON.stringify(answer))
  return answer
}

type Ids = Pick<Names, 'memory' | 'other' | 'connected' | 'plan'>

/** For each tool a call that succeeds, in the order of the list. `connected` is connected with `memory`; `other` is archived. */
export const calls: { [Name in ToolRoute]: (ids: Ids) => Record<string, unknown> } = {
  composeContext: () => ({ query: 'cat' }),
  createMemory: () => ({ content: 'The cat has a name' }),
  createMemories: () => ({ memories: [{ content: 'It is Ada' }] }),
  getMemory: ({ memory: id }) => ({ id }),
  searchMemories: () => ({ query: 'cat', search_type: 'hybrid' }),
  listMemories: () => ({ limit: 2 }),
  updateMemory: ({ memory: id }) => ({ id, importance: 0.9 }),
  deleteMemory: ({ other: id }) => ({ id }),
  restoreMemory: ({ other: id }) => ({ id }),
  getMemoryHistory: ({ memory: id }) => ({ id }),
  revertMemory: ({ memory: id }) => ({ id, version: 1 }),
  listTags: () => ({ limit: 2 }),
  createConnection: ({ connected, other }) => ({
    source_id: connected,
    target_id: other,
    relationship_type: 'contradicts',
  }),
  listConflicts: () => ({}),
  reviewConflict: ({ connected, other }) => ({
    source_id: connected,
    target_id: other,
    outcome: 'rejected',
  }),
  resolveConflict: ({ connected, other }) => ({ keep_id: connected, archive_id: other }),
  deleteConnection: ({ connected, other }) => ({ source_id: connected, target_id: other }),
  planMaintenance: () => ({ kind: 'forget', filters: { tags: ['calls-of-tools'] } }),
  listMaintenanceRuns: () => ({ state: 'planned' }),
  getMaintenanceRun: ({ plan: id }) => ({ id }),
  applyMaintenance: ({ plan: id }) => ({ id }),
  undoMaintenance: ({ plan: id }) => ({ id }),
  relatedMemories: ({ memory: id }) => ({ id, direction: 'both' }),
  findPath: ({ memory, connected }) => ({ source_id: memory, target_id: connected }),
  listConnections: ({ memory: target_id }) => ({ target_id }),
  runCypher: () => ({ query: 'MATCH (m:Memory) RETURN m.content AS content LIMIT 2' }),
  getStats: () => ({}),
}
