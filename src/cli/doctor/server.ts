import { createClient, ProblemError } from '../../client.ts'
import type { Output } from '../../contract/index.ts'
import type { Config } from '../../platform/config.ts'
import { readVersion } from '../../platform/version.ts'
import { type ConnectionValues, keyFor, urlFor } from '../shell/connect.ts'
import { describeFailure } from '../shell/failures.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warning, failure, skipped } = findingsOf('server')

const LONGEST_MS = 8_000

/** Checks the health of the running service, and whether it accepts the key of the command line. */
export async function examineServer(
  config: Config,
  values: ConnectionValues,
  signal: AbortSignal,
): Promise<Finding[]> {
  const baseUrl = await urlFor(values, config)
  const apiKey = await keyFor(values['api-key'], config, new URL(baseUrl))
  const client = createClient({ baseUrl, apiKey })
  const within = () => ({ signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]) })
  try {
    const health = await client.getHealth({}, within())
    const { checks } = await client.getReadiness({}, within())
    return [
      ...(await checkHealth(health, baseUrl)),
      ...checkChecks(checks),
      ...(await examineKey(apiKey, () => client.listPolicies({}, within()))),
    ]
  } catch (error) {
    const [message = '', ...remedies] = describeFailure(error, false).lines
    const remedy = remedies.join(' ') || 'Give its address with --url.'
    const isGiven = values.url !== undefined
    return [(isGiven ? failure : warning)(`${baseUrl}: ${message}`, remedy)]
  }
}

async function checkHealth({ version, uptime_seconds }: Output<'getHealth'>, baseUrl: string) {
  const own = await readVersion()
  const message = `${version} answers at ${baseUrl}, up for ${duration(uptime_seconds)}`
  return [
    version === own
      ? ok(message)
      : warning(`${message}, and this command is ${own}`, 'Upgrade the one that is behind.'),
  ]
}

const duration = (seconds: number) =>
  seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3600)} h`

/** The checks of /ready that are not up, in one finding: a stopped Neo4j causes most of the others. */
function checkChecks(checks: Output<'getReadiness'>['checks']): Finding[] {
  const faults = Object.entries(checks).filter(([, { status }]) => status !== 'up')
  if (faults.length === 0) return []
  const reported = faults.map(
    ([name, { status, detail }]) => `${name} is ${status}${detail ? ` (${detail})` : ''}`,
  )
  const isDown = faults.some(([, { status }]) => status === 'down')
  return [
    (isDown ? failure : warning)(
      `/ready: ${reported.join(', ')}`,
      'Fix the findings above, then run this again.',
    ),
  ]
}

async function examineKey(apiKey: string | undefined, call: () => Promise<unknown>): Promise<Finding[]> {
  if (apiKey === undefined)
    return [skipped('no key is known here, so none was tried: SERVICE_MCP_API_KEY or --api-key gives one')]
  try {
    await call()
    return []
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    if (error.status === 503) return []
    return [
      failure(
        `it refuses the key of this environment (${error.status})`,
        'Fix SERVICE_MCP_API_KEY or --api-key.',
      ),
    ]
  }
}
