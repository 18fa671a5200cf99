import type { Context } from '../../context.ts'
import { ANY_POLICY } from '../../contract/faults.ts'
import { builtInNames, isBuiltIn, type Policy, type PolicyRules } from '../../contract/policies.ts'
import { baseTenant } from '../../contract/private.ts'
import { invalid, ServiceError } from '../../contract/problems.ts'
import * as store from '../../store/lifecycle/policies.ts'
import type { Handler } from '../handler.ts'

const MONTH_SECONDS = 30 * 86_400

/** The policies that every tenant has. Only `short_term` removes: what a caller meant to last never vanishes. */
const builtIn: Readonly<Record<(typeof builtInNames)[number], store.Rules>> = {
  short_term: rulesOf({
    health_decay: 8,
    recall_boost: 10,
    importance_decay: 1,
    promote_at_recalls: 3,
    promote_to: 'long_term',
    archive_at_health: 0,
    remove_after_seconds: MONTH_SECONDS,
  }),
  long_term: rulesOf({
    health_decay: 2,
    recall_boost: 10,
    importance_decay: 0.995,
    archive_at_health: 0,
  }),
  pinned: rulesOf({ health_decay: 0, recall_boost: 0, importance_decay: 1 }),
}

/** A policy with the time from which on its rules count, in milliseconds. */
export type PolicyInForce = Policy & { since: number }

/** The tenant's policies by name: the built-in ones, overridden or not, then its own. Private memories have those of their tenant too. */
export async function policiesOf(ctx: Context): Promise<Map<string, PolicyInForce>> {
  const policies = new Map(Object.entries(builtIn).map(([name, rules]) => [name, inForce(name, rules, 0)]))
  for (const { name, rules, since } of await definedFor(ctx)) {
    const own = rules ?? (isBuiltIn(name) ? builtIn[name as keyof typeof builtIn] : undefined)
    if (own)
      policies.set(name, { ...inForce(name, own, since), overridden: rules !== null && isBuiltIn(name) })
  }
  return policies
}

/** The policy that counts for a memory: one whose policy is unknown ages as `long_term`. */
export const policyFor = (policies: ReadonlyMap<string, PolicyInForce>, name: string): PolicyInForce =>
  (policies.get(name) ?? policies.get('long_term')) as PolicyInForce

async function definedFor(ctx: Context): Promise<store.DefinedPolicy[]> {
  const all = await Promise.all(definers(ctx).map(tenant => store.listPolicies({ ...ctx, tenant })))
  return all.flat()
}

/** The tenants whose policies count in a tenant, the nearest last. */
const definers = ({ tenant }: Context) => [...new Set([baseTenant(tenant), tenant])]

/** Policies as they would be from a time on, were these defined. @throws ServiceError `validation_failed` */
export function triedOut(
  policies: ReadonlyMap<string, PolicyInForce>,
  tried: readonly (PolicyRules & { name: string })[],
  since: number,
): Map<string, PolicyInForce> {
  const result = new Map(policies)
  for (const { name, ...rules } of tried)
    result.set(name, { ...inForce(name, rulesOf(rules), since), overridden: isBuiltIn(name) })
  for (const [index, { name, ...rules }] of tried.entries())
    checkedRules(result, name, rules, `/policies/${index}`)
  return result
}

const inForce = (name: string, rules: store.Rules, since: number): PolicyInForce => ({
  name,
  built_in: isBuiltIn(name),
  overridden: false,
  ...rules,
  since,
})

export const listPolicies: Handler<'listPolicies'> = async ctx => ({
  policies: Array.from((await policiesOf(ctx)).values(), ({ since: _since, ...policy }) => policy),
})

export const putPolicy: Handler<'putPolicy'> = async (ctx, { name, ...rules }) => {
  const checked = checkedRules(await policiesOf(ctx), name, rules, '')
  await store.putPolicy(ctx, name, checked)
  return { name, built_in: isBuiltIn(name), overridden: isBuiltIn(name), ...checked }
}

export const deletePolicy: Handler<'deletePolicy'> = async (ctx, { name }) => {
  switch (await store.deletePolicy(ctx, name, { replaced: isBuiltIn(name) })) {
    case 'missing':
      throw new ServiceError('policy_not_found', `The tenant has not defined a policy ${name}.`)
    case 'in_use':
      throw new ServiceError('policy_in_use', `Memories, or another policy, use the policy ${name}.`)
    case 'deleted':
      return { name, deleted: true }
  }
}

type Chosen = { policy: string; ttl_seconds: number }

/**
 * Checks the policies of memories; `pointer` returns the place of each in the request.
 * @throws ServiceError `validation_failed` for an unknown policy, or one that does not allow the time limit
 */
export async function checkPolicies(
  ctx: Context,
  memories: readonly Chosen[],
  pointer: (index: number) => string,
) {
  const builtInAlone = memories.every(({ policy }) => isBuiltIn(policy))
  const known: readonly string[] = builtInAlone ? builtInNames : [...(await policiesOf(ctx)).keys()]
  for (const [index, { policy, ttl_seconds }] of memories.entries()) {
    if (!known.includes(policy)) throw invalid(`${pointer(index)}/policy`, 'unknown_policy', oneOf(known))
    if (policy === 'pinned' && ttl_seconds > 0) throw pinnedWithLimit(pointer(index))
  }
}

/**
 * Checks an input. Where it lacks a policy, the problem lists those of the tenant.
 * @throws ServiceError like `check`
 */
export async function withPolicyNames<Input>(ctx: Context, check: () => Input): Promise<Input> {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.faults.some(({ message }) => message.includes(ANY_POLICY)))
      throw error
    // A database that is down hides no fault of the caller.
    const policies = await policiesOf(ctx).catch(() => undefined)
    if (!policies) throw error
    const named = (text: string) => text.replaceAll(ANY_POLICY, listed([...policies.keys()]))
    const faults = error.faults.map(fault => ({ ...fault, message: named(fault.message) }))
    throw new ServiceError(error.code, named(error.message), { faults, faultCount: error.faultCount })
  }
}

const MOST_NAMED = 400

const oneOf = (names: readonly string[]) => `must be one of: ${listed(names)}`

/** The allowed names, as many whole ones as a message holds: the built-in ones come first. */
function listed(names: readonly string[]): string {
  const named = names.filter((_, at) => names.slice(0, at + 1).join(', ').length <= MOST_NAMED)
  const others = names.length - named.length
  return `${named.join(', ')}${others === 0 ? '' : `, and ${others} more, which \`listPolicies\` returns`}`
}

export const pinnedWithLimit = (pointer: string) =>
  invalid(
    `${pointer}/ttl_seconds`,
    'pinned_with_limit',
    'must be 0: memories of the policy `pinned` never expire',
  )

/** The rules of a policy in their one order. @throws ServiceError `validation_failed` */
export function checkedRules(
  policies: ReadonlyMap<string, unknown>,
  name: string,
  rules: PolicyRules,
  pointer: string,
): store.Rules {
  const { promote_at_recalls, promote_to } = rules
  const fault = (code: string, message: string) => invalid(`${pointer}/promote_to`, code, message)
  if ((promote_at_recalls === undefined) !== (promote_to === undefined))
    throw fault('incomplete', 'and `promote_at_recalls` require each other')
  if (promote_to === name) throw fault('promotes_to_itself', 'must be another policy')
  if (promote_to !== undefined && !policies.has(promote_to))
    throw fault('unknown_policy', oneOf([...policies.keys()]))
  return rulesOf(rules)
}

/** The rules as answered and stored: what does not happen is null. */
function rulesOf(rules: PolicyRules): store.Rules {
  return {
    health_decay: rules.health_decay,
    recall_boost: rules.recall_boost,
    importance_decay: rules.importance_decay,
    promote_at_recalls: rules.promote_at_recalls ?? null,
    promote_to: rules.promote_to ?? null,
    archive_at_health: rules.archive_at_health ?? null,
    remove_after_seconds: rules.remove_after_seconds ?? null,
  }
}
