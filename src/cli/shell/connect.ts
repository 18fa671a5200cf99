import { randomUUID } from 'node:crypto'
import { type Client, createClient } from '../../client.ts'
import { type Config, isLoopback, readClientConfig, readMachine } from '../../platform/config.ts'
import { readDevelopmentKey } from '../../platform/development-key.ts'
import { readAddress } from '../../platform/service-address.ts'
import { jsonOption, type Option, UsageError } from './command.ts'

/** What every command that speaks to a service takes. */
export const connectionOptions = {
  url: {
    value: 'URL',
    describe:
      'Where the service answers (default: from SERVICE_HOST and SERVICE_PORT, or the service that runs in this folder)',
  },
  'api-key': {
    value: 'KEY',
    describe:
      'The key (default: SERVICE_MCP_API_KEY, SERVICE_SERVER_API_KEY, or the one kept for development)',
  },
  tenant: { value: 'NAME', describe: "The tenant, for the operator's key (default: default)" },
  ...jsonOption,
} as const satisfies Record<string, Option>

export type ConnectionValues = { url?: string; 'api-key'?: string; tenant?: string; json?: boolean }

export type ConnectedClient = Client & { readonly baseUrl: string }

/** There is no key to be found. */
export class NoKeyError extends Error {
  override readonly name = 'NoKeyError'
}

/** A client of the service that the options and the environment name. @throws UsageError, ConfigError, NoKeyError */
export async function connectClient(values: ConnectionValues): Promise<ConnectedClient> {
  const config = readClientConfig()
  const baseUrl = await urlFor(values, config)
  const key = await keyFor(values['api-key'], config, new URL(baseUrl))
  if (!key)
    throw new NoKeyError(
      `No key for ${baseUrl}: set SERVICE_MCP_API_KEY, or give --api-key. The key that a service made for ` +
        `development is found when this runs in the same folder (${config.dataDir}/development.key).`,
    )
  return { ...createClient({ baseUrl, apiKey: key, tenant: values.tenant, mintKey: randomUUID }), baseUrl }
}

/** The base address of a service: as given, from the settings, or of the one that runs in this folder. @throws UsageError */
export async function urlFor({ url }: ConnectionValues, { host, port, dataDir }: Config): Promise<string> {
  const { SERVICE_HOST, SERVICE_PORT } = readMachine().environment
  const running = SERVICE_HOST || SERVICE_PORT ? undefined : await readAddress(dataDir)
  return baseUrlOf(url ?? running ?? `http://${hostToCall(host)}:${port}`)
}

/** The key for a service: as given, from the environment, or the one kept for development on this machine. */
export const keyFor = async (given: string | undefined, config: Config, { hostname }: URL) =>
  given ??
  config.bridge.apiKey ??
  config.serverApiKey ??
  (isLoopback(hostname.replace(/^\[|\]$/g, '')) ? await readDevelopmentKey(config.dataDir) : undefined)

/** An address for everyone is none to call. */
const hostToCall = (host: string) => {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** The base address as typed, with or without its path. @throws UsageError */
export function baseUrlOf(text: string): string {
  const url = httpUrlOf(text)
  return `${url.origin}${url.pathname === '/' ? '/api/v1' : url.pathname.replace(/(?<!\/)\/+$/, '')}`
}

/** @throws UsageError */
export function httpUrlOf(text: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`“${text}” is not an http address`)
  return url
}
