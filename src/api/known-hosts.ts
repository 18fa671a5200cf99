import type { IncomingHttpHeaders } from 'node:http'
import type { RequestHandler } from 'express'
import { ServiceError } from '../contract/problems.ts'
import { type Config, isLoopback } from '../platform/config.ts'

type Addresses = Pick<Config, 'host' | 'allowedHosts'>

/** Probes and Prometheus ask by the address of a container or pod. These paths show nothing without a key. */
const PROBED = ['/health', '/ready', '/metrics', '/api/v1/health', '/api/v1/ready']

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/**
 * Refuses a request by a host name that is not this service's. A web page can give this machine's address a name of its
 * own (DNS rebinding); the Host header shows that name. A service that listens on other addresses checks the header
 * only when SERVICE_ALLOWED_HOSTS is set, and not for probes and metrics.
 * @throws ServiceError `foreign_caller`
 */
export const onlyKnownHosts = (config: Addresses): RequestHandler =>
  function requireKnownHost(req, _res, next) {
    if (isLoopback(config.host) || !PROBED.includes(req.path)) checkHost(config, req.headers)
    next()
  }

/** Refuses a request that a page of another origin sends. @throws ServiceError `foreign_caller` */
export const onlyKnownOrigins = (config: Addresses): RequestHandler =>
  function requireKnownOrigin(req, _res, next) {
    checkOrigin(config, req.headers)
    next()
  }

/** @throws ServiceError `foreign_caller` */
export function checkHost({ host, allowedHosts }: Addresses, headers: IncomingHttpHeaders) {
  if (headers.host === undefined || !(isLoopback(host) || allowedHosts.length > 0)) return
  if (!isKnown({ host, allowedHosts }, hostName(`http://${headers.host}`))) throw foreign('Host')
}

/** @throws ServiceError `foreign_caller` */
export function checkOrigin(config: Addresses, { origin }: IncomingHttpHeaders) {
  if (origin !== undefined && !isKnown(config, hostName(origin))) throw foreign('Origin')
}

const isKnown = ({ host, allowedHosts }: Addresses, name: string | undefined) =>
  name !== undefined && [...LOOPBACK_NAMES, host, `[${host}]`, ...allowedHosts].includes(name)

const hostName = (url: string) => (URL.canParse(url) ? new URL(url).hostname : undefined)

const foreign = (header: string) =>
  new ServiceError(
    'foreign_caller',
    `The ${header} header names a host that is not this service. Add it to SERVICE_ALLOWED_HOSTS if it is.`,
  )
