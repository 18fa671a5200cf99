import type { RequestHandler } from 'express'
import { ServiceError } from '../../contract/problems.ts'
import { type Config, isLoopback } from '../../platform/config.ts'

/**
 * Lets no web page in: a page that has this machine's address under a name of its own (DNS rebinding) is known by the
 * Host, any other by the Origin. A service that is reached by other names is told them in SERVICE_MCP_HOSTS.
 * @throws ServiceError `foreign_caller`
 */
export function onlyKnownCallers({ host, mcpHosts }: Config): RequestHandler {
  const checksHost = isLoopback(host) || mcpHosts.length > 0
  return async function requireKnownCaller(req, _res, next) {
    const { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } = await import(
      '@modelcontextprotocol/server'
    )
    const names = [...localhostAllowedHostnames(), ...mcpHosts]
    const byHost = checksHost ? validateHostHeader(req.get('host'), names) : { ok: true as const }
    const byOrigin = validateOriginHeader(req.get('origin'), names)
    const failed = [byHost, byOrigin].find(({ ok }) => !ok)
    if (failed && !failed.ok)
      throw new ServiceError('foreign_caller', `${failed.message}. SERVICE_MCP_HOSTS names further hosts.`)
    next()
  }
}
