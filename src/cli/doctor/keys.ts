import type { Config } from '../../platform/config.ts'
import { readDevelopmentKey } from '../../platform/development-key.ts'
import { expiringKeys } from '../../store/neo4j/inspection.ts'
import type { ExaminedDatabase } from './database.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warning } = findingsOf('keys')

const SOON_DAYS = 7

/** Checks the operator's key. A missing key in production is reported by examineSettings. */
export async function examineOperatorKey({ serverApiKey, dataDir, production }: Config): Promise<Finding[]> {
  if (serverApiKey) return [ok("the operator's key is that of SERVICE_SERVER_API_KEY")]
  if (production) return []
  const made = (await readDevelopmentKey(dataDir)) !== undefined
  return [
    ok(
      `the operator's key ${made ? 'is' : 'will be, from the first start,'} the one for development in ${dataDir}`,
    ),
  ]
}

/** Keys of tenants that can be used no more, or soon will be. */
export async function examineExpiry({ caller }: ExaminedDatabase): Promise<Finding[]> {
  const keys = await expiringKeys(caller(), SOON_DAYS)
  const byTenant = (expired: boolean) =>
    Map.groupBy(
      keys.filter(key => key.expired === expired),
      ({ tenant }) => tenant,
    )
  return [
    ...Array.from(byTenant(true), ([tenant, found]) =>
      warning(
        `${found.length} of the tenant ${tenant} expired, the first at ${found[0]?.expiresAt}`,
        `mnemograph keys revoke ${found[0]?.id} --tenant ${tenant}; keys create makes a new one.`,
      ),
    ),
    ...Array.from(byTenant(false), ([tenant, found]) =>
      warning(
        `${found.length} of the tenant ${tenant} will expire within ${SOON_DAYS} days, the first at ${found[0]?.expiresAt}`,
        `mnemograph keys create --tenant ${tenant}`,
      ),
    ),
  ]
}
