import { z } from 'zod'
import { changeKind, wanted } from './changes.ts'
import { closedSet } from './closed-sets.ts'
import { route } from './route.ts'
import { fraction, id, limit, timestamp } from './values.ts'

const LONGEST_URL = 2_000

export const url = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .max(LONGEST_URL)
  .meta({ examples: ['https://app.example/hooks/memory'] })

export const kinds = z.array(changeKind).min(1).max(changeKind.options.length)

const webhook = z
  .object({
    id: id.describe('The id of the webhook.'),
    url: z.string().describe('The address that receives the changes.'),
    kinds: z
      .array(changeKind)
      .nullable()
      .describe('The kinds of changes that the service delivers; null for all.'),
    filters: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        'Only changes of memories that match these filters are delivered, with the names of `createWebhook`; null for all.',
      ),
    matches: z
      .string()
      .nullable()
      .describe('Only memories that bear on this question are delivered; null for all.'),
    min_relevance: fraction.nullable().describe('From which relevance on a memory bears on `matches`.'),
    created_at: timestamp.describe('When the webhook was created. It receives changes from then on.'),
    waiting: z.int().describe('How many deliveries wait for their first or next attempt.'),
    delivered_at: timestamp.nullable().describe('When a delivery last succeeded; null if none has.'),
    last_error: z
      .string()
      .nullable()
      .describe('Why the last attempt failed; null if it succeeded, or there was none.'),
    paused_until: timestamp
      .nullable()
      .describe('After 5 failures in a row the service sends nothing until then; null if it sends now.'),
  })
  .meta({ id: 'Webhook', description: 'An address that receives the changes of a tenant.' })

export type Webhook = z.infer<typeof webhook>

const deliveryState = closedSet('DeliveryState')

const delivery = z
  .object({
    id: id.describe('The id of the delivery, sent in the header `webhook-id`. Each attempt has the same.'),
    state: deliveryState.describe(
      '`waiting`: for its first or next attempt. `delivered`: the receiver accepted it. `failed`: not accepted within a day.',
    ),
    type: changeKind.describe('The kind of the change.'),
    body: z.string().describe('The body that is sent, as it is signed.'),
    queued_at: timestamp.describe('When the delivery was queued, by a change or by you.'),
    attempts: z.int().describe('How often the service has sent it.'),
    due_at: timestamp
      .nullable()
      .describe('The next attempt is not before this time; null if there will be none.'),
    settled_at: timestamp.nullable().describe('When it was delivered or failed; null while it waits.'),
    last_error: z
      .string()
      .nullable()
      .describe('Why the last attempt failed; null if it succeeded, or there was none.'),
  })
  .meta({ id: 'Delivery', description: 'A change on its way to a webhook.' })

export type Delivery = z.infer<typeof delivery>

const webhookId = id.describe('The id of the webhook.')

export const webhookRoutes = {
  createWebhook: route({
    method: 'POST',
    path: '/webhooks',
    summary: 'Send changes to an address',
    description:
      'The service sends each change of the tenant from now on as a POST request with a JSON body, signed as the Standard Webhooks specification defines. The response contains the secret for checking signatures; save it now. Answer with a status from 200 to 299 within 10 seconds. Otherwise the service tries again for a day, less and less often. Changes of the same memory arrive in order and at least once: recognize a repeat by the header `webhook-id`. The service does not follow redirects, and sends nothing to private addresses, unless the operator allows them. A tenant can have 20 webhooks.',
    input: z.strictObject({
      url: url.describe('The address, with http or https and without credentials.'),
      kinds: kinds
        .transform(values => [...new Set(values)])
        .optional()
        .describe('Only changes of these kinds. By default all.'),
      ...wanted,
    }),
    output: webhook.extend({
      secret: z.string().describe('The secret, which begins with `whsec_`. No other response contains it.'),
    }),
    status: 201,
    problems: ['too_many_webhooks', 'embedding_unavailable'],
    scope: 'admin',
    creates: true,
  }),
  listWebhooks: route({
    method: 'GET',
    path: '/webhooks',
    summary: 'List the webhooks of the tenant, oldest first',
    input: z.strictObject({}),
    output: z.object({ webhooks: z.array(webhook).describe('The webhooks, oldest first.') }),
    scope: 'admin',
  }),
  deleteWebhook: route({
    method: 'DELETE',
    path: '/webhooks/{id}',
    summary: 'Stop sending changes to an address',
    description: 'Also removes its deliveries. An attempt that is in progress can still arrive.',
    input: z.strictObject({ id: webhookId }),
    output: z.object({ id: webhookId, deleted: z.literal(true).describe('Always true.') }),
    problems: ['malformed_id', 'webhook_not_found'],
    scope: 'admin',
  }),
  listDeliveries: route({
    method: 'GET',
    path: '/webhooks/{id}/deliveries',
    summary: 'List the deliveries of a webhook, newest change first',
    description:
      'The service keeps deliveries as long as changes: 7 days, unless the operator sets another time.',
    input: z.strictObject({
      id: webhookId,
      limit: limit(50, 500),
      state: deliveryState.optional().describe('Only deliveries in this state.'),
      before: id
        .optional()
        .describe('Only deliveries of earlier changes than this one: `next_before` of the page before.'),
    }),
    output: z.object({
      deliveries: z.array(delivery).describe('The deliveries, newest change first.'),
      next_before: id.nullable().describe('`before` for the next page; null if this is the last one.'),
    }),
    problems: ['malformed_id', 'webhook_not_found'],
    scope: 'admin',
  }),
  redeliver: route({
    method: 'POST',
    path: '/webhooks/{id}/redeliver',
    summary: 'Send deliveries of a webhook again',
    description:
      'Each gets a new day of attempts. The service also ends a pause of the webhook, so that it tries at once.',
    input: z.strictObject({
      id: webhookId,
      delivery_id: id.optional().describe('Which delivery. By default all that failed.'),
    }),
    output: z.object({ queued: z.int().describe('How many deliveries are queued again.') }),
    problems: ['malformed_id', 'webhook_not_found', 'delivery_not_found'],
    scope: 'admin',
  }),
}
