import type { App, Context } from '../../context.ts'
import type { ApiKey } from '../../contract/keys.ts'
import type { Scope } from '../../contract/route.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { openNow } from '../neo4j/closed.ts'
import { lockNow } from '../neo4j/lock.ts'
import { apiKeyProjection, keyEnd, NOW } from '../neo4j/projections.ts'
import { int, intOrNull, read, readValues, timeOf, transact, write } from '../neo4j/statements.ts'
import { audit } from './audit.ts'
import { removeAudited } from './removal.ts'

export type NewKey = {
  id: string
  tenant: string
  otherTenants: readonly string[]
  owner: string | null
  name: string | null
  scopes: readonly Scope[]
  rateLimit: number | null
  expiresAt: string | null
  hash: string
}

/** Keyed by id: made again under the same id, the newest secret counts, as no earlier one was handed out. */
export function createKey(ctx: Context, key: NewKey): Promise<ApiKey> {
  return transact(ctx, async transaction => {
    const [row] = await transaction.run<{ key: ApiKey }>(
      `MERGE (k:ApiKey {id: $id})
    ON CREATE SET k.tenant = $tenant, k.otherTenants = $otherTenants, k.owner = $owner, k.name = $name, k.scopes = $scopes,
      k.rateLimit = $rateLimit, k.expiresAt = $expiresAt
    SET k.hash = $hash, k.createdAt = coalesce(k.createdAt, ${openNow('$tenant')})
    RETURN ${apiKeyProjection('k')} AS key`,
      {
        ...key,
        rateLimit: intOrNull(key.rateLimit),
        expiresAt: timeOf(key.expiresAt),
      },
    )
    await audit(ctx, transaction, { target: key.id })
    return row?.key as ApiKey
  })
}

/**
 * Creates a successor, which lives as long as the key would have, and retires the key; an overlap that it has already is
 * never extended. A repeat under the successor's id changes nothing but the secret. An expired key has no successor.
 */
export function rotateKey(
  ctx: Context,
  id: string,
  successor: Pick<NewKey, 'id' | 'hash'>,
  overlapSeconds: number,
): Promise<ApiKey | 'expired' | undefined> {
  return transact(ctx, async transaction => {
    const [row] = await transaction.run<{ key: ApiKey | null }>(
      `MATCH (k:ApiKey {id: $id}) WHERE k.tenant = $tenant
    ${lockNow('k')}
    WITH k, ${NOW} AS now, ${keyEnd('k')} AS end
    OPTIONAL CALL (k, now, end) {
      WITH k, now, end WHERE end IS NULL OR end > now OR EXISTS { MATCH (:ApiKey {id: $successor}) }
      MERGE (s:ApiKey {id: $successor})
      ON CREATE SET s.tenant = k.tenant, s.otherTenants = k.otherTenants, s.owner = k.owner, s.name = k.name, s.scopes = k.scopes,
        s.rateLimit = k.rateLimit, s.expiresAt = k.expiresAt, s.createdAt = now,
        k.retiresAt = CASE WHEN end < now + duration({seconds: $overlap}) THEN end
          ELSE now + duration({seconds: $overlap}) END
      SET s.hash = $hash
      RETURN ${apiKeyProjection('s')} AS key
    }
    RETURN key`,
      { id, tenant: ctx.tenant, successor: successor.id, hash: successor.hash, overlap: int(overlapSeconds) },
    )
    if (row?.key) await audit(ctx, transaction, { target: id })
    return row && (row.key ?? 'expired')
  })
}

export const listKeys = (ctx: Context): Promise<ApiKey[]> =>
  readValues(
    ctx,
    `MATCH (k:ApiKey) WHERE k.tenant = $tenant
    WITH k ORDER BY k.createdAt, k.id
    RETURN ${apiKeyProjection('k')} AS key`,
    { tenant: ctx.tenant },
  )

export const deleteKey = (ctx: Context, id: string): Promise<boolean> => removeAudited(ctx, 'k:ApiKey', id)

export type StoredKey = {
  tenant: string
  otherTenants: string[]
  /** Whose private memories the key uses besides the shared ones. */
  owner: string | null
  scopes: Scope[]
  /** Requests a minute. */
  rateLimit: number | null
  name: string | null
  hash: string
  expiresAt: number | null
}

/** A key by its public part, of any tenant: this is how the tenant of a request is found. It has permits of its own. */
export async function findKey(
  { app, ...caller }: Caller & { readonly app: Pick<App, 'neo4j' | 'keyLookups'> },
  id: string,
): Promise<StoredKey | undefined> {
  const [row] = await read<StoredKey>(
    { ...caller, app: { neo4j: app.neo4j, semaphore: app.keyLookups } },
    `MATCH (k:ApiKey {id: $id})
    RETURN k.tenant AS tenant, coalesce(k.otherTenants, []) AS otherTenants, k.owner AS owner, k.scopes AS scopes,
      k.rateLimit AS rateLimit, k.name AS name, k.hash AS hash, ${keyEnd('k')}.epochMillis AS expiresAt`,
    { id },
  )
  return row
}

export const markKeyUsed = (caller: Caller, id: string) =>
  write(caller, `MATCH (k:ApiKey {id: $id}) SET k.lastUsedAt = datetime.realtime('Z')`, { id })
