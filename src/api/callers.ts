import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import express from 'express'
import type { Config } from '../platform/config.ts'

/** Says who calls: the only place that does, for limits by address, for quotas of connections and for the audit log. */
export type Callers = {
  /** The address of a caller, or of the last one on its way whom nobody could have made up. */
  addressOf(req: IncomingMessage): string
  /** Whether connections of this address carry the requests of others. */
  isProxy(address: string | undefined): boolean
}

export function createCallers({ trustedProxies }: Pick<Config, 'trustedProxies'>): Callers {
  const trusts: (address: string, hop: number) => boolean = express()
    .set('trust proxy', trustedProxies)
    .get('trust proxy fn')
  return {
    isProxy: address => address !== undefined && trusts(address, 0),
    addressOf({ socket, headers }) {
      let caller = socket.remoteAddress ?? ''
      const named = String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .reverse()
      for (const [hop, each] of named.entries()) {
        const before = each.trim()
        if (!trusts(caller, hop) || isIP(before) === 0) break
        caller = before
      }
      return caller
    },
  }
}
