import { type Config, ConfigError, readClientConfig, readConfig } from '../../platform/config.ts'
import { readSafelist } from '../../platform/safelist.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, failure, skipped } = findingsOf('settings')
const keys = findingsOf('keys')

/** The settings as a start reads them. If a start would refuse them, those that can be read are used for the other checks. */
export function examineSettings(): { config: Config | undefined; findings: Finding[] } {
  try {
    const config = readConfig()
    if (config.graphql.safelist !== undefined) readSafelist(config.graphql.safelist)
    return { config, findings: [ok(`usable, for ${config.production ? 'production' : 'development'}`)] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const config = usable()
    const blind = config ? [] : [skipped('nothing else was checked: some values cannot be read')]
    return { config, findings: [...error.faults.map(toFinding), ...blind] }
  }
}

function toFinding(fault: string): Finding {
  if (/^SERVICE_SERVER_API_KEY (is required|must)/.test(fault))
    return keys.failure(
      fault,
      'Set SERVICE_SERVER_API_KEY to a secret, for instance of: openssl rand -hex 32',
    )
  return failure(fault, 'Correct or unset it; docs/reference/settings.md lists all.')
}

function usable(): Config | undefined {
  try {
    return readClientConfig()
  } catch {
    return undefined
  }
}
