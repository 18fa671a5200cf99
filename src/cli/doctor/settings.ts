import { type Config, ConfigError, readClientConfig, readConfig } from '../../platform/config.ts'
import { readDevelopmentKey } from '../../platform/development-key.ts'
import { readSafelist } from '../../platform/safelist.ts'
import { type Finding, type Report, reportTo } from './finding.ts'

/** The settings as a start reads them. If a start would refuse them, those that can be read are used for the other checks. */
export function examineSettings(findings: Finding[]): Config | undefined {
  const { ok, failure, skipped } = reportTo(findings, 'settings')
  try {
    const config = readConfig()
    if (config.graphql.safelist !== undefined) readSafelist(config.graphql.safelist)
    ok(`usable, for ${config.production ? 'production' : 'development'}`)
    return config
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const fault of error.faults)
      if (/^SERVICE_SERVER_API_KEY (is required|must)/.test(fault))
        reportTo(findings, 'keys').failure(
          fault,
          'Set SERVICE_SERVER_API_KEY to a secret, for instance of: openssl rand -hex 32',
        )
      else failure(fault, 'Correct or unset it; docs/reference/settings.md lists all.')
  }
  try {
    return readClientConfig()
  } catch {
    skipped('nothing else was checked: some values cannot be read')
    return undefined
  }
}

/** Checks the operator's key. A missing key in production is reported by examineSettings. */
export async function examineOperatorKey({ serverApiKey, dataDir, production }: Config, { ok }: Report) {
  if (serverApiKey) ok("the operator's key is that of SERVICE_SERVER_API_KEY")
  else if (!production) {
    const isMade = (await readDevelopmentKey(dataDir)) !== undefined
    ok(
      `the operator's key ${isMade ? 'is' : 'will be, from the first start,'} the one for development in ${dataDir}`,
    )
  }
}
