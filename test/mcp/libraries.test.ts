import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createMCPClient } from '@ai-sdk/mcp'
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, test } from 'vitest'
import { keepOutput } from '../support/output.ts'
import { pythonWith } from '../support/python.ts'
import { OPERATOR_KEY, withService } from '../support/service.ts'

type Arguments = Record<string, unknown>

/** What a library says of the tools, and what a call of one answers as text. */
type Library = {
  names(): Promise<string[]>
  call(tool: string, args: Arguments): Promise<string>
} & AsyncDisposable

const service = withService()
const profiles = { small: '?tools=small', whole: '' }
const headers = () => ({ authorization: `Bearer ${OPERATOR_KEY}`, 'x-tenant-id': service.tenant })
const addressOf = (query: string) => `${service.url}/mcp${query}`

async function aiSdk(query: string): Promise<Library> {
  const client = await createMCPClient({
    transport: { type: 'http', url: addressOf(query), headers: headers() },
  })
  return ofAiSdk(client)
}

async function ofAiSdk(client: Awaited<ReturnType<typeof createMCPClient>>): Promise<Library> {
  const tools = await client.tools()
  return {
    names: async () => Object.keys(tools),
    async call(name, args) {
      const answer = await tools[name]?.execute(args, { toolCallId: name, messages: [], context: undefined })
      return JSON.stringify(answer)
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** A program of its own between a host that speaks stdio alone and the address. */
async function mcpRemote(query: string): Promise<Library> {
  const sent = Object.entries(headers()).flatMap(([name, value]) => ['--header', `${name}:${value}`])
  const args = [
    fileURLToPath(import.meta.resolve('mcp-remote/dist/proxy.js')),
    addressOf(query),
    '--transport',
    'http-only',
    ...sent,
  ]
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' })
  return ofAiSdk(await createMCPClient({ transport }))
}

async function langChain(query: string): Promise<Library> {
  const client = new MultiServerMCPClient({
    mcpServers: { memory: { transport: 'http', url: addressOf(query), headers: headers() } },
  })
  const tools = await client.getTools()
  return {
    names: async () => tools.map(({ name }) => name),
    async call(name, args) {
      return JSON.stringify(await tools.find(tool => tool.name === name)?.invoke(args))
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

const libraries = { 'the AI SDK': aiSdk, 'mcp-remote': mcpRemote, LangChain: langChain }
const cases = Object.keys(libraries).flatMap(library =>
  Object.keys(profiles).map(profile => [library, profile] as const),
) as [keyof typeof libraries, keyof typeof profiles][]

describe.each(cases)('%s with the %s profile', (name, profile) => {
  test('stores, finds, corrects and forgets', async () => {
    await using library = await libraries[name](profiles[profile])
    expect((await library.names()).length).toBeGreaterThanOrEqual(6)
    const word = `quay${name}${profile}`.replaceAll(/\W/g, '')
    const stored = await library.call('create_memory', {
      content: `The ferry ${word} leaves at nine`,
      tags: [word],
    })
    const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(stored)?.[0] as string
    expect(await library.call('search_memories', { query: word, search_type: 'keyword' })).toContain(id)
    await library.call('update_memory', { id, content: `The ferry ${word} leaves at ten` })
    expect(await library.call('get_memory', { id })).toContain('at ten')
    await library.call('delete_memory', { id })
    expect(await library.call('search_memories', { query: word, search_type: 'keyword' })).not.toContain(id)
  })
})

const { python, reason } = pythonWith('mcp==2.3.0')

test.skipIf(!python)(
  `the MCP SDK of Python stores, finds, corrects and forgets${python ? '' : `: ${reason}`}`,
  async () => {
    for (const query of Object.values(profiles)) {
      const env = {
        PATH: process.env.PATH,
        PYTHONDONTWRITEBYTECODE: '1',
        TEST_KEY: OPERATOR_KEY,
        TEST_TENANT: service.tenant,
      }
      const said = await promisify(execFile)(python as string, ['test/mcp/library.py', addressOf(query)], {
        env,
      })
      keepOutput(said.stdout)
      expect(said.stdout).toBe('stored, found, corrected, forgotten\n')
    }
  },
)
