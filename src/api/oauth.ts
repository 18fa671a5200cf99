import { type Request, Router } from 'express'
import { scopes } from '../contract/route.ts'
import type { Config } from '../platform/config.ts'
import { prefixOf } from './prefix.ts'

const METADATA = '/.well-known/oauth-protected-resource'

/**
 * The metadata of `/mcp` as a protected resource (RFC 9728): from it, a host that knows OAuth alone learns which issuer
 * signs its users in. It needs no key.
 */
export function protectedResource(config: Config): Router {
  const router = Router({ caseSensitive: true, strict: true })
  // Clients that know the address alone insert the path after its host (RFC 9728, 3.1).
  return router.get([METADATA, `${METADATA}/mcp`, `${METADATA}${prefixOf(config)}/mcp`], (req, res) => {
    res.json({
      resource: `${publicUrl(config, req)}/mcp`,
      authorization_servers: [config.oidc?.issuer],
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
      resource_name: 'Mnemograph',
    })
  })
}

/** The challenge of a response without a valid key (RFC 6750). At `/mcp` it names the metadata, as MCP asks. */
export const challengeOf = (config: Config, req: Request): string =>
  config.oidc && req.originalUrl.split('?')[0] === '/mcp'
    ? `Bearer resource_metadata="${publicUrl(config, req)}${METADATA}/mcp"`
    : 'Bearer'

/** The address by which clients reach the service. A Host header that is no plain name would end the quoted text. */
function publicUrl({ publicUrl, host, port }: Config, req: Request): string {
  if (publicUrl) return publicUrl
  const given = req.headers.host ?? ''
  return `${req.protocol}://${/^[\w.[\]:-]+$/.test(given) ? given : `${host}:${port}`}`
}
