import { z } from 'zod'
import { route } from './route.ts'
import { fraction, real } from './values.ts'

export const policyName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be 1 to 64 characters of a-z, 0-9 and _, and start with a letter')
  .meta({ examples: ['meeting_notes'] })

/** The policies that every tenant has. */
export const builtInNames = ['short_term', 'long_term', 'pinned'] as const

/** Whether every tenant has it. */
export const isBuiltIn = (name: string) => (builtInNames as readonly string[]).includes(name)

const name = policyName.describe('The name of the policy.')

/** The rules of a policy. A rule that is omitted is not applied. */
const rules = {
  health_decay: real().min(0).max(100).default(0).describe('How much health a memory loses each day.'),
  recall_boost: real()
    .min(0)
    .max(100)
    .default(0)
    .describe('How much health a memory gains with each recall.'),
  importance_decay: fraction
    .default(1)
    .describe('The factor by which the importance of a memory is multiplied each day; 1 keeps it.'),
  promote_at_recalls: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('After this many recalls the memory moves to the policy `promote_to`.'),
  promote_to: policyName
    .optional()
    .describe('The policy that the memory moves to. Send it together with `promote_at_recalls`.'),
  archive_at_health: real()
    .min(0)
    .max(100)
    .optional()
    .describe('The memory is archived when its health falls to this value.'),
  remove_after_seconds: z
    .int()
    .min(0)
    .max(3_153_600_000)
    .optional()
    .describe('The memory is removed for good this many seconds after it was archived.'),
}

export const policyRules = z.strictObject(rules)

export type PolicyRules = z.output<typeof policyRules>

const policy = z
  .object({
    name: z.string().describe('The name of the policy.'),
    built_in: z.boolean().describe('Whether every tenant has this policy.'),
    overridden: z
      .boolean()
      .describe('Whether the tenant overrides this built-in policy. Delete the policy to return to it.'),
    health_decay: z.number().describe('How much health a memory loses each day.'),
    recall_boost: z.number().describe('How much health a memory gains with each recall.'),
    importance_decay: z
      .number()
      .describe('The factor by which the importance of a memory is multiplied each day.'),
    promote_at_recalls: z
      .int()
      .nullable()
      .describe('After this many recalls the memory moves to `promote_to`; null if never.'),
    promote_to: z.string().nullable().describe('The policy that the memory moves to; null if none.'),
    archive_at_health: z
      .number()
      .nullable()
      .describe('The memory is archived when its health falls to this value; null if never.'),
    remove_after_seconds: z
      .int()
      .nullable()
      .describe('The memory is removed this many seconds after it was archived; null if never.'),
  })
  .meta({ id: 'Policy', description: 'A policy: how long memories last, and what recalls change.' })

export type Policy = z.infer<typeof policy>

export const policyRoutes = {
  listPolicies: route({
    method: 'GET',
    path: '/policies',
    summary: 'List the policies of the tenant, including the built-in ones',
    input: z.strictObject({}),
    output: z.object({
      policies: z.array(policy).describe('The built-in policies, then those of the tenant.'),
    }),
    scope: 'read',
  }),
  putPolicy: route({
    method: 'PUT',
    path: '/policies/{name}',
    summary: 'Define a policy, or override a built-in one',
    description: 'Replaces all rules of the policy. If you omit a rule, it is not applied.',
    input: z.strictObject({ name, ...rules }),
    output: policy,
    problems: ['malformed_id'],
    scope: 'admin',
  }),
  deletePolicy: route({
    method: 'DELETE',
    path: '/policies/{name}',
    summary: 'Delete a policy, or return to the built-in one',
    description:
      'The request fails with `policy_in_use` if a memory or another policy uses the policy. If the tenant overrides a built-in policy, the built-in one applies again.',
    input: z.strictObject({ name }),
    output: z.object({
      name: z.string().describe('The name of the deleted policy.'),
      deleted: z.literal(true).describe('Always true.'),
    }),
    problems: ['malformed_id', 'policy_not_found', 'policy_in_use'],
    scope: 'admin',
  }),
}
