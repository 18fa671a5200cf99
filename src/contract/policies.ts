import { z } from 'zod'
import { route } from './route.ts'
import { fraction, real } from './values.ts'

export const policyName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be 1 to 64 of a-z 0-9 _, a letter first')

/** What a policy does; what is left out does not happen. */
const rules = {
  health_decay: real().min(0).max(100).default(0).describe('Health lost a day.'),
  recall_boost: real().min(0).max(100).default(0).describe('Health won with each recall.'),
  importance_decay: fraction.default(1).describe('Factor on the importance for each day.'),
  promote_at_recalls: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('With this many recalls the memory moves to `promote_to`.'),
  promote_to: policyName.optional(),
  archive_at_health: real()
    .min(0)
    .max(100)
    .optional()
    .describe('At this health or below the memory is archived.'),
  remove_after_seconds: z
    .int()
    .min(0)
    .max(3_153_600_000)
    .optional()
    .describe('So long after it was archived the memory is removed.'),
}

export const policyRules = z.strictObject(rules)

export type PolicyRules = z.output<typeof policyRules>

const policy = z
  .object({
    name: z.string(),
    built_in: z
      .boolean()
      .describe('Every tenant has it; one that the tenant overrides returns when that is deleted.'),
    overridden: z.boolean(),
    health_decay: z.number(),
    recall_boost: z.number(),
    importance_decay: z.number(),
    promote_at_recalls: z.int().nullable(),
    promote_to: z.string().nullable(),
    archive_at_health: z.number().nullable(),
    remove_after_seconds: z.int().nullable(),
  })
  .meta({ id: 'Policy' })

export type Policy = z.infer<typeof policy>

const group = 'Lifecycle'

export const policyRoutes = {
  listPolicies: route({
    method: 'GET',
    path: '/policies',
    group,
    summary: "List the tenant's policies, the built-in ones included",
    input: z.strictObject({}),
    output: z.object({ policies: z.array(policy) }),
    problems: [],
    scope: 'read',
  }),
  putPolicy: route({
    method: 'PUT',
    path: '/policies/{name}',
    group,
    summary: 'Define a policy, or override a built-in one',
    description: 'Replaces all of its rules: what is left out does not happen.',
    input: z.strictObject({ name: policyName, ...rules }),
    output: policy,
    problems: ['malformed_id'],
    scope: 'admin',
  }),
  deletePolicy: route({
    method: 'DELETE',
    path: '/policies/{name}',
    group,
    summary: 'Delete a policy that no memory uses, or return to the built-in one',
    input: z.strictObject({ name: policyName }),
    output: z.object({ name: z.string(), deleted: z.literal(true) }),
    problems: ['malformed_id', 'policy_not_found', 'policy_in_use'],
    scope: 'admin',
  }),
}
