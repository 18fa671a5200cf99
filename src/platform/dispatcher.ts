import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { readMachine } from './config.ts'

/** Connections to a provider. Uses the proxies of the environment where Node.js is set to, as `fetch` does. */
export function createDispatcher(maxResponseSize: number): Dispatcher {
  const settings = { maxResponseSize, allowH2: false }
  const { NODE_USE_ENV_PROXY } = readMachine().environment
  return NODE_USE_ENV_PROXY === '1' ? new EnvHttpProxyAgent(settings) : new Agent(settings)
}
