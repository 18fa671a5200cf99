import { readKey, refuseCredentials } from '../contract/key-text.ts'
import { readClientConfig, readMachine } from '../platform/config.ts'
import { readAddress } from '../platform/service-address.ts'
import { bridge } from './bridge/bridge.ts'
import type { UpstreamError } from './bridge/errors.ts'
import { openUpstream } from './bridge/upstream.ts'
import { command, UsageError } from './shell/command.ts'
import { connectionOptions, httpUrlOf, keyFor } from './shell/connect.ts'

export const mcp = command({
  words: '',
  summary: 'Connect a host that speaks MCP over standard input and output with the service',
  details: 'A host starts this itself: docs/how-to/mcp.md has the configuration for the well-known ones.',
  examples: ['mcp', 'mcp --url https://memory.example/mcp'],
  options: {
    url: { value: 'URL', describe: 'Address of /mcp (default: SERVICE_MCP_URL, or this machine)' },
    'api-key': connectionOptions['api-key'],
    tenant: connectionOptions.tenant,
    tools: {
      value: 'PROFILE',
      describe: 'Which tools to offer: all or small (default: SERVICE_MCP_TOOLS, or as the service has it)',
    },
  },
  async run({ values, words }, { note, signal }) {
    if (words.length > 0) throw new UsageError('mcp takes options only')
    const config = readClientConfig()
    const set = readMachine().environment.SERVICE_MCP_URL
    const running = set ? undefined : await readAddress(config.dataDir)
    const url = httpUrlOf(values.url ?? running ?? config.bridge.url)
    if (url.pathname === '/') url.pathname = '/mcp'
    const tools = values.tools ?? readMachine().environment.SERVICE_MCP_TOOLS
    if (tools) url.searchParams.set('tools', tools)
    refuseCredentials(url)
    const key = await keyFor(values['api-key'], config, url)
    const upstream = await openUpstream({
      url,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${readKey(key)}` }),
        ...(values.tenant === undefined ? {} : { 'x-tenant-id': values.tenant }),
      },
      onNotice: write,
      onError: onceEach(note),
    })
    const ended = Promise.withResolvers<void>()
    for (const name of ['SIGTERM', 'SIGHUP'] as const) process.once(name, () => ended.resolve())
    signal.addEventListener('abort', () => ended.resolve())
    await Promise.race([bridge(process.stdin, write, upstream), ended.promise])
    upstream.stop()
    process.stdin.destroy()
    return undefined
  },
})

const write = (message: unknown) => void process.stdout.write(`${JSON.stringify(message)}\n`)

/** Reports a lasting problem once, and again if it returns after a success. */
function onceEach(note: (line: string) => void) {
  let reported: string | undefined
  return (upstreamError: UpstreamError | undefined) => {
    if (upstreamError?.isLasting && upstreamError.error.message !== reported)
      note(upstreamError.error.message)
    if (!upstreamError || upstreamError.isLasting) reported = upstreamError?.error.message
  }
}
