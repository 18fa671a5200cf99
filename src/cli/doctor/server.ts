import { createClient, ProblemError } from '../../client.ts'
import type { Output } from '../../contract/index.ts'
import type { Config } from '../../platform/config.ts'
import { readVersion } from '../../platform/version.ts'
import { type ConnectionValues, keyFor, urlFor } from '../shell/connect.ts'
import { describeFailure } from '../shell/failures.ts'
import type { Report } from './finding.ts'

const LONGEST_MS = 8_000

/** Checks the health of the running service, and whether it accepts the key of the command line. */
export async function examineServer(
  config: Config,
  values: ConnectionValues,
  signal: AbortSignal,
  report: Report,
) {
  const baseUrl = await urlFor(values, config)
  const apiKey = await keyFor(values['api-key'], config, new URL(baseUrl))
  const client = createClient({ baseUrl, apiKey })
  const within = () => ({ signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]) })
  try {
    const health = await client.getHealth({}, within())
    const { checks } = await client.getReadiness({}, within())
    const refused = apiKey === undefined ? undefined : await refusalOf(client.listPolicies({}, within()))
    await checkHealth(health, baseUrl, report)
    checkChecks(checks, report)
    if (apiKey === undefined)
      report.skipped('no key is known here, so none was tried: SERVICE_MCP_API_KEY or --api-key gives one')
    if (refused)
      report.failure(
        `it refuses the key of this environment (${refused})`,
        'Fix SERVICE_MCP_API_KEY or --api-key.',
      )
  } catch (error) {
    const [message = '', ...remedies] = describeFailure(error, false).lines
    const remedy = remedies.join(' ') || 'Give its address with --url.'
    const add = values.url === undefined ? report.warning : report.failure
    add(`${baseUrl}: ${message}`, remedy)
  }
}

/** The status with which the service refuses a call, other than for what it lacks itself. */
const refusalOf = (call: Promise<unknown>): Promise<number | undefined> =>
  call.then(
    () => undefined,
    error => {
      if (!(error instanceof ProblemError)) throw error
      return error.status === 503 ? undefined : error.status
    },
  )

async function checkHealth(
  { version, uptime_seconds }: Output<'getHealth'>,
  baseUrl: string,
  { ok, warning }: Report,
) {
  const own = await readVersion()
  const message = `${version} answers at ${baseUrl}, up for ${duration(uptime_seconds)}`
  if (version === own) ok(message)
  else warning(`${message}, and this command is ${own}`, 'Upgrade the one that is behind.')
}

const duration = (seconds: number) =>
  seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3600)} h`

/** The checks of /ready that are not up, in one finding: a stopped Neo4j causes most of the others. */
function checkChecks(checks: Output<'getReadiness'>['checks'], { warning, failure }: Report) {
  const faults = Object.entries(checks).filter(([, { status }]) => status !== 'up')
  if (faults.length === 0) return
  const reported = faults.map(
    ([name, { status, detail }]) => `${name} is ${status}${detail ? ` (${detail})` : ''}`,
  )
  const isDown = faults.some(([, { status }]) => status === 'down')
  const report = isDown ? failure : warning
  report(`/ready: ${reported.join(', ')}`, 'Fix the findings above, then run this again.')
}
