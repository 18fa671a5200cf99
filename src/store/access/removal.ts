import type { Context } from '../../context.ts'
import { remove } from '../neo4j/statements.ts'
import { audit } from './audit.ts'

/** Removes a key `k` or a webhook `w` of the tenant by its id and records it. Returns whether there was one. */
export async function removeAudited(
  ctx: Context,
  node: 'k:ApiKey' | 'w:Webhook',
  id: string,
): Promise<boolean> {
  const [x] = node.split(':')
  const row = await remove<{ id: string }>(
    ctx,
    `MATCH (${node} {id: $id}) WHERE ${x}.tenant = $tenant
    WITH ${x}, ${x}.id AS id
    DELETE ${x}
    RETURN id`,
    { id, tenant: ctx.tenant },
    transaction => audit(ctx, transaction, { target: id }),
  )
  return row !== undefined
}
