import type { Context } from '../../context.ts'
import type { Quota } from '../../contract/tenants.ts'
import type { Caller } from '../neo4j/attempts.ts'
import { intOrNull, read, transact } from '../neo4j/statements.ts'
import { audit } from './audit.ts'

export const readQuotas = (caller: Caller): Promise<Quota[]> =>
  read<Quota>(
    caller,
    `MATCH (q:Quota)
    RETURN q.tenant AS tenant, q.memories AS memories, q.characters AS characters`,
  )

/** Recorded in the audit log of the tenant that it is about. */
export const putQuota = (ctx: Context, { memories, characters }: Omit<Quota, 'tenant'>): Promise<void> =>
  transact(ctx, async transaction => {
    await transaction.run(
      `MERGE (q:Quota {tenant: $tenant})
    SET q.memories = $memories, q.characters = $characters`,
      { tenant: ctx.tenant, memories: intOrNull(memories), characters: intOrNull(characters) },
    )
    await audit(ctx, transaction, { target: ctx.tenant })
  })
