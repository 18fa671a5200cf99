import type { Context } from '../../context.ts'
import { isBuiltIn, type Policy } from '../../contract/policies.ts'
import { baseTenant, privatePrefix } from '../../contract/private.ts'
import { invalid, type ServiceError } from '../../contract/problems.ts'
import { audit } from '../access/audit.ts'
import { recordPolicyChange } from '../feed/record.ts'
import { keyOf, lockNow, lockPresent, type MemoryKey, unlock } from '../neo4j/lock.ts'
import { NOW } from '../neo4j/projections.ts'
import { type Running, read, readValues, remove, time, transact, write } from '../neo4j/statements.ts'

export type Rules = Omit<Policy, 'name' | 'built_in' | 'overridden'>
/** `rules` is null for a built-in policy that the tenant has returned to; `since` is when that was, in milliseconds. */
export type DefinedPolicy = { name: string; rules: Rules | null; since: number }

/** The policies that the tenant has defined, by name. */
export const listPolicies = (ctx: Context): Promise<DefinedPolicy[]> =>
  read<DefinedPolicy>(
    ctx,
    `MATCH (p:Policy) WHERE p.tenant = $tenant
    WITH p ORDER BY p.name
    RETURN p.name AS name, coalesce(p.since.epochMillis, 0) AS since,
      CASE WHEN p.returned IS NULL THEN {health_decay: p.healthDecay, recall_boost: p.recallBoost,
        importance_decay: p.importanceDecay, promote_at_recalls: p.promoteAtRecalls, promote_to: p.promoteTo,
        archive_at_health: p.archiveAtHealth, remove_after_seconds: p.removeAfterSeconds} END AS rules`,
    { tenant: ctx.tenant },
  )

const rulesOf = `p.rules = $text, p.tenant = $tenant, p.name = $name, p.healthDecay = $rules.health_decay,
      p.recallBoost = $rules.recall_boost, p.importanceDecay = $rules.importance_decay,
      p.promoteAtRecalls = toInteger($rules.promote_at_recalls), p.promoteTo = $rules.promote_to,
      p.archiveAtHealth = $rules.archive_at_health, p.removeAfterSeconds = toInteger($rules.remove_after_seconds)`

/** Keeps a policy. Its rules count from now on; the same rules again change nothing. */
export const putPolicy = (ctx: Context, name: string, rules: Rules) =>
  transact(ctx, async transaction => {
    await transaction.run(
      `MERGE (p:Policy {id: $id})
    ${lockNow('p')}
    WITH p, p.rules IS NULL OR p.rules <> $text AS changed
    SET p.since = CASE WHEN p.rules = $text THEN p.since
        ELSE ${NOW} END,
      ${rulesOf}
    REMOVE p.returned
    WITH p WHERE changed
    ${recordPolicyChange('policy_put', 'p')}`,
      { id: idOf(ctx, name), tenant: ctx.tenant, name, rules, text: JSON.stringify(rules) },
    )
    await audit(ctx, transaction, { target: name })
  })

/** Keeps a policy as a bundle has it, with the time from which on its rules count. `run` marks it; null marks nothing. */
export const importPolicy = (ctx: Context, { name, rules, since }: DefinedPolicy, run: string | null) =>
  write(
    ctx,
    `MERGE (p:Policy {id: $id})
    ${lockNow('p')}
    WITH p, p.since IS NULL OR p.since <> $since OR coalesce(p.rules, '') <> coalesce($text, '') AS changed
    SET p.since = $since, p.importedBy = coalesce($run, p.importedBy),
      p.returned = CASE WHEN $rules IS NULL THEN true END, ${rulesOf}
    WITH p WHERE changed
    ${recordPolicyChange(rules === null ? 'policy_deleted' : 'policy_put', 'p')}`,
    {
      id: idOf(ctx, name),
      tenant: ctx.tenant,
      name,
      rules,
      text: rules && JSON.stringify(rules),
      since: time(since),
      run,
    },
  )

/** The names of the policies in force that an import has not marked. */
export const policiesNotIn = (ctx: Context, run: string): Promise<string[]> =>
  readValues(
    ctx,
    `MATCH (p:Policy) WHERE p.tenant = $tenant AND p.returned IS NULL AND coalesce(p.importedBy, '') <> $run
    RETURN p.name AS name ORDER BY name`,
    { tenant: ctx.tenant, run },
  )

export type NamedPolicy = { readonly tenant: string; readonly policy: string }

/**
 * Locks policies until the transaction ends: none of them can be removed before that. Returns those that their tenant does not
 * have. It comes after the locks of memories.
 */
export async function missingPolicies(
  { run }: Running,
  named: readonly NamedPolicy[],
): Promise<NamedPolicy[]> {
  const own = named.filter(({ policy }) => !isBuiltIn(policy))
  if (own.length === 0) return []
  const ids = [...new Set(own.flatMap(idsOf))].sort()
  const locked = await run<{ id: string }>(
    `UNWIND $ids AS id
    MATCH (p:Policy {id: id})
    ${lockPresent('p')}
    ${unlock('p')}
    RETURN p.id AS id`,
    { ids },
  )
  const present = new Set(locked.map(({ id }) => id))
  return own.filter(each => !idsOf(each).some(id => present.has(id)))
}

/** Locks the policies of memories like `missingPolicies`. Returns what refuses those whose policy is missing, by `keyOf`. */
export async function withoutPolicy(
  transaction: Running,
  rows: readonly (MemoryKey & { readonly policy: string | undefined })[],
): Promise<Map<string, ServiceError>> {
  const named = rows.flatMap(({ tenant, policy }) => (policy === undefined ? [] : [{ tenant, policy }]))
  const missing = await missingPolicies(transaction, named)
  const refused = rows.filter(row =>
    missing.some(({ tenant, policy }) => tenant === row.tenant && policy === row.policy),
  )
  return new Map(refused.map(row => [keyOf(row), policyGone(String(row.policy))]))
}

/** Private memories have the policies of their tenant too. */
const idsOf = ({ tenant, policy }: NamedPolicy) => [
  idOf({ tenant: baseTenant(tenant) }, policy),
  idOf({ tenant }, policy),
]

const policyGone = (name: string) =>
  invalid('/policy', 'unknown_policy', `\`${name}\` was deleted while the request was in progress`)

export type DeleteOutcome = 'deleted' | 'in_use' | 'missing'

/**
 * Deletes a policy unless memories or other policies need it; `replaced` says that a built-in one takes its place,
 * from now on.
 */
export async function deletePolicy(
  ctx: Context,
  name: string,
  { replaced }: { replaced: boolean },
): Promise<DeleteOutcome> {
  const row = await remove<{ outcome: DeleteOutcome }>(
    ctx,
    `MATCH (p:Policy {id: $id}) WHERE p.tenant = $tenant
    ${lockNow('p')}
    WITH p WHERE p.returned IS NULL
    WITH p, CASE
      WHEN $replaced THEN 'return'
      WHEN EXISTS { MATCH (m:Memory) WHERE m.tenant = $tenant AND m.policy = $name } THEN 'in_use'
      WHEN EXISTS { MATCH (m:Memory) WHERE m.tenant STARTS WITH $private AND m.policy = $name } THEN 'in_use'
      WHEN EXISTS { MATCH (q:Policy) WHERE q.tenant = $tenant AND q.promoteTo = $name AND q.returned IS NULL
        AND q.name <> $name } THEN 'in_use'
      ELSE 'delete' END AS outcome
    CALL (p, outcome) {
      WITH p WHERE outcome <> 'in_use'
      ${recordPolicyChange('policy_deleted', 'p')}
    }
    FOREACH (_ IN CASE outcome WHEN 'return' THEN [1] ELSE [] END |
      SET p.returned = true, p.since = ${NOW} REMOVE p.rules)
    FOREACH (_ IN CASE outcome WHEN 'delete' THEN [1] ELSE [] END | DELETE p)
    RETURN CASE outcome WHEN 'in_use' THEN outcome ELSE 'deleted' END AS outcome`,
    { id: idOf(ctx, name), tenant: ctx.tenant, private: privatePrefix(ctx.tenant), name, replaced },
    async (transaction, row) => {
      if (row.outcome === 'deleted') await audit(ctx, transaction, { target: name })
    },
  )
  return row?.outcome ?? 'missing'
}

const idOf = ({ tenant }: Pick<Context, 'tenant'>, name: string) => `${tenant}:${name}`
