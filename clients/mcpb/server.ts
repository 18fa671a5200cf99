/**
 * The server of the bundle for MCP hosts (`.mcpb`): the bridge of the command line in one file. The host gives it the
 * address and the key that its user has entered.
 */
import { bridge } from '../../src/cli/bridge/bridge.ts'
import { openUpstream } from '../../src/cli/bridge/upstream.ts'

const { SERVICE_MCP_URL = 'http://127.0.0.1:4545/mcp', SERVICE_MCP_API_KEY = '' } = process.env
const write = (message: unknown) => void process.stdout.write(`${JSON.stringify(message)}\n`)

const upstream = await openUpstream({
  url: new URL(SERVICE_MCP_URL),
  headers: SERVICE_MCP_API_KEY === '' ? {} : { authorization: `Bearer ${SERVICE_MCP_API_KEY}` },
  onNotice: write,
  onError: failure => void (failure?.isLasting && process.stderr.write(`${failure.error.message}\n`)),
})
await bridge(process.stdin, write, upstream)
upstream.stop()
