import { createClient, ProblemError } from '../../client.ts'
import type { Output } from '../../contract/index.ts'
import type { Config } from '../../platform/config.ts'
import { readVersion } from '../../platform/version.ts'
import { type ConnectionValues, keyFor, urlFor } from '../shell/connect.ts'
import { describeFailure } from '../shell/failures.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warning, failure, skipped } = findingsOf('server')

const LONGEST_MS = 8_000

/** What the service that runs says of itself, and whether it takes the key that the command line would give. */
export async function examineServer(
  config: Config,
  values: ConnectionValues,
  signal: AbortSignal,
): Promise<Finding[]> {
  const baseUrl = urlFor(values, config)
  const apiKey = await keyFor(values['api-key'], config, new URL(baseUrl))
  const client = createClient({ baseUrl, apiKey })
  const within = () => ({ signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]) })
  try {
    const health = await client.getHealth({}, within())
    const { checks } = await client.getReadiness({}, within())
    return [
      ...(await judgeHealth(health, baseUrl)),
      ...judgeChecks(checks),
      ...(await examineKey(apiKey, () => client.listPolicies({}, within()))),
    ]
  } catch (error) {
    const [says = '', ...remedies] = describeFailure(error, false).lines
    const remedy = remedies.join(' ') || 'Say with --url where it answers.'
    const isSaid = values.url !== undefined
    return [(isSaid ? failure : warning)(`${baseUrl}: ${says}`, remedy)]
  }
}

async function judgeHealth({ version, uptime_seconds }: Output<'getHealth'>, baseUrl: string) {
  const own = await readVersion()
  const says = `${version} answers at ${baseUrl}, up for ${duration(uptime_seconds)}`
  return [
    version === own
      ? ok(says)
      : warning(`${says}, and this command is ${own}`, 'Upgrade the one that is behind.'),
  ]
}

const duration = (seconds: number) =>
  seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3600)} h`

/** What /ready says against it, in one finding: that Neo4j is down is the reason for much else. */
function judgeChecks(checks: Output<'getReadiness'>['checks']): Finding[] {
  const faults = Object.entries(checks).filter(([, { status }]) => status !== 'up')
  if (faults.length === 0) return []
  const said = faults.map(
    ([name, { status, detail }]) => `${name} is ${status}${detail ? ` (${detail})` : ''}`,
  )
  const isDown = faults.some(([, { status }]) => status === 'down')
  return [
    (isDown ? failure : warning)(
      `/ready: ${said.join(', ')}`,
      'See what is said of it above, and ask again.',
    ),
  ]
}

async function examineKey(apiKey: string | undefined, ask: () => Promise<unknown>): Promise<Finding[]> {
  if (apiKey === undefined)
    return [skipped('no key is known here, so none was tried: SERVICE_MCP_API_KEY or --api-key gives one')]
  try {
    await ask()
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
