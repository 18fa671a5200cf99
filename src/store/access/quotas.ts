import type { Context } from '../../context.ts'
import type { Quota } from '../../contract/tenants.ts'
import { allOf } from '../neo4j/of-tenant.ts'
import { type Caller, intOrNull, read, transact } from '../neo4j/statements.ts'
import { audit } from './audit.ts'

export const readQuotas = (caller: Caller): Promise<Quota[]> =>
  read<Quota>(
    caller,
    `CYPHER 25
    MATCH (q:Quota)
    RETURN q.tenant AS tenant, q.memories AS memories, q.characters AS characters`,
  )

/** Recorded in the audit log of the tenant that it is about. */
export const putQuota = (ctx: Context, { memories, characters }: Omit<Quota, 'tenant'>): Promise<void> =>
  transact(ctx, async transaction => {
    await transaction.run(
      `CYPHER 25
    MERGE (q:Quota {tenant: $tenant})
    SET q.memories = $memories, q.characters = $characters`,
      { tenant: ctx.tenant, memories: intOrNull(memories), characters: intOrNull(characters) },
    )
    await audit(ctx, transaction, { target: ctx.tenant })
  })

export type Usage = { memories: number; characters: number }

/** How much a tenant stores. Without `characters` their contents are not read. */
export async function readUsage(
  caller: Caller,
  tenant: string,
  { characters }: { characters: boolean },
): Promise<Usage> {
  const [row] = await read<Usage>(
    caller,
    `CYPHER 25
    ${allOf('m', 'Memory')}
    RETURN count(*) AS memories, ${characters ? 'sum(size(m.content))' : '0'} AS characters`,
    { tenant },
  )
  return row ?? { memories: 0, characters: 0 }
}
