import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Decides which network addresses a request on behalf of a tenant may reach. */
export type AddressGuard = {
  /** Whether an IP address is public, or in a network that the operator allows. */
  permits(address: string): boolean
  /** Resolves a name as the system does. Fails with `PrivateAddress` if any of its addresses is not permitted. */
  readonly lookup: LookupFunction
}

/** A host has an address that requests on behalf of tenants must not reach. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress'
}

/** The address at which Azure answers its machines about themselves. It lies in a public range. */
const AZURE_METADATA = '168.63.129.16'

/** Deprecated ranges that stand for other addresses and that `ipaddr.js` counts as public. */
const disguised = ['::/96', 'fec0::/10'].map(range => ipaddr.parseCIDR(range))

export function createAddressGuard(networks: readonly string[]): AddressGuard {
  const allowed = networks.map(network => ipaddr.parseCIDR(network))
  const permits = (address: string) => {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    const isIn = (range: [ipaddr.IPv4 | ipaddr.IPv6, number]) =>
      range[0].kind() === parsed.kind() && parsed.match(range)
    if (allowed.some(isIn)) return true
    return parsed.range() === 'unicast' && !disguised.some(isIn) && parsed.toString() !== AZURE_METADATA
  }
  return {
    permits,
    lookup(hostname, options, callback) {
      lookup(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, [])
        const refused = addresses.find(({ address }) => !permits(address))
        if (refused) return callback(new PrivateAddress(`${hostname} has the address ${refused.address}`), [])
        const [first] = addresses
        if (options.all || !first) return callback(null, addresses)
        callback(null, first.address, first.family)
      })
    },
  }
}

/** The IP address that a host of a URL is, without the brackets of IPv6; undefined if it is a name. */
export function addressOf(host: string): string | undefined {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) ? bare : undefined
}
