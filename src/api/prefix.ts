import type { IncomingMessage } from 'node:http'
import type { Config } from '../platform/config.ts'

type Public = Pick<Config, 'publicUrl'>

/** The path below which clients reach the service, such as `/memory`; empty where that is the root. */
export const prefixOf = ({ publicUrl }: Public): string =>
  publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/(?<!\/)\/+$/, '')

/** First segments of paths of the service: a proxy has to remove a prefix of the same name. */
const OWN =
  /^\/(api|graphql|graphiql|mcp|docs|console|explorer|metrics|health|ready|openapi\.json|\.well-known)(\/|$)/

/** Removes the prefix from the path of a request, where the proxy on the way has not done it. */
export function stripPrefix(config: Public): (req: IncomingMessage) => void {
  const prefix = prefixOf(config)
  if (prefix === '' || OWN.test(prefix)) return () => {}
  return req => {
    const rest = req.url?.startsWith(prefix) ? req.url.slice(prefix.length) : undefined
    if (rest !== undefined && /^([/?]|$)/.test(rest)) req.url = rest.startsWith('/') ? rest : `/${rest}`
  }
}
