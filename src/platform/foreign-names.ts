import { distance } from 'fastest-levenshtein'
import { settings } from './settings.ts'

type Environment = Readonly<Record<string, string | undefined>>

const PREFIX = 'SERVICE_'

/**
 * Names that platforms set in every container: Coolify's SERVICE_URL_…, SERVICE_FQDN_… and SERVICE_PASSWORD_…, those of
 * Kubernetes and of Docker links for a service that is called `service`, and those that Consul's registrator reads.
 */
const OF_PLATFORMS =
  /^SERVICE_((URL|FQDN|USER|NAME|PASSWORD\w*?|(REAL)?BASE64|HEX|ID|CHECK|ENV|SERVICE|PORT)_.+|NAME|TAGS|ID|\d+_.+)$/

/** A setting's name with the address that Kubernetes and Docker links give a service called `service`. */
const LINKED_ADDRESS = /^(tcp|udp|sctp):\/\//

/** Divides the names with our prefix that are no settings: misspelt ones stop the start, foreign ones are ignored. */
export function unknownNames(environment: Environment): { misspelt: string[]; foreign: string[] } {
  const names = Object.keys(environment).filter(name => name.startsWith(PREFIX))
  const unknown = names.filter(name => !(name in settings))
  const linked = names.filter(name => name in settings && isLinked(environment[name]))
  const { misspelt = [], foreign = [] } = Object.groupBy(unknown, name =>
    isMisspelt(name) ? 'misspelt' : 'foreign',
  )
  return { misspelt, foreign: [...foreign, ...linked] }
}

const isLinked = (value: string | undefined) => LINKED_ADDRESS.test(value ?? '')

/** What is left of an environment without the addresses of links in the place of settings. */
export const withoutLinks = (environment: Environment): Environment =>
  Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => !(name.startsWith(PREFIX) && isLinked(value))),
  )

const known = Object.keys(settings)
  .filter(name => name.startsWith(PREFIX))
  .map(name => name.slice(PREFIX.length))

const firstWords = Map.groupBy(known, name => name.split('_')[0] as string)

/** Whether a name resembles a setting: by its letters, by words of one setting, or by the first word of several. */
function isMisspelt(name: string): boolean {
  if (OF_PLATFORMS.test(name)) return false
  const rest = name.slice(PREFIX.length).toUpperCase()
  const words = rest.split('_')
  return (
    known.some(each => distance(rest, each) <= Math.max(2, Math.floor(rest.length / 4))) ||
    (words.length > 1 && known.some(each => words.every(word => each.split('_').includes(word)))) ||
    (firstWords.get(words[0] as string)?.length ?? 0) > 1
  )
}
