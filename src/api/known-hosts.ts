import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { RequestHandler } from 'express'
import { ServiceError } from '../contract/problems.ts'
import { type Config, isLoopback } from '../platform/config.ts'

export type OwnHosts = Pick<Config, 'host' | 'allowedHosts' | 'publicUrl'>

/** Probes and Prometheus ask by the address of a container or pod. These paths show nothing without a key. */
const PROBED = ['/health', '/ready', '/metrics', '/api/v1/health', '/api/v1/ready']

export const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/**
 * Refuses a request by a host name that is not this service's. A web page can give this machine's address a name of its
 * own (DNS rebinding); the Host header shows that name. A service that listens on other addresses checks the header
 * only when SERVICE_ALLOWED_HOSTS is set, and not for probes and metrics.
 * @throws ServiceError `foreign_caller`
 */
export const onlyKnownHosts = (own: OwnHosts): RequestHandler =>
  function requireKnownHost(req, _res, next) {
    if (isLoopback(own.host) || !PROBED.includes(req.path)) checkHost(own, req.headers)
    next()
  }

/** @throws ServiceError `foreign_caller` */
export function checkHost(own: OwnHosts, { host }: IncomingHttpHeaders) {
  if (host === undefined || !(isLoopback(own.host) || own.allowedHosts.length > 0)) return
  if (!names(own).includes(hostName(host) ?? ''))
    throw new ServiceError(
      'foreign_caller',
      'The Host header names a host that is not this service. Add it to SERVICE_ALLOWED_HOSTS if it is.',
    )
}

/** Whether a Host header surely names this service: by a name that it knows, or by a number, which is no name. */
export function isOwnHost(own: OwnHosts, host: string): boolean {
  const name = hostName(host)
  return name !== undefined && (names(own).includes(name) || isIP(name.replace(/^\[|\]$/g, '')) !== 0)
}

const names = ({ host, allowedHosts, publicUrl }: OwnHosts) => [
  ...LOOPBACK_NAMES,
  host,
  `[${host}]`,
  ...allowedHosts,
  ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
]

const hostName = (host: string) =>
  URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined
