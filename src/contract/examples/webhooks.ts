import { createdChange } from './graph.ts'
import { ids, times } from './world.ts'

const url = 'https://app.example/hooks/memory'

const webhook = {
  id: ids.webhook,
  url,
  kinds: ['created', 'updated', 'archived'],
  filters: { tags: ['checkout'], tags_match: 'all' },
  matches: null,
  min_relevance: null,
  created_at: times.pipeline,
  waiting: 0,
  delivered_at: null,
  last_error: null,
  paused_until: null,
} as const

const body = JSON.stringify({
  type: 'created',
  timestamp: times.rule,
  webhook_id: ids.webhook,
  tenant: 'platform-team',
  data: createdChange,
})

export const webhookExamples = {
  createWebhook: {
    input: { url, kinds: ['created', 'updated', 'archived'], filters: { tags: ['checkout'] } },
    output: { ...webhook, secret: 'whsec_example_shown_once' },
  },
  listWebhooks: { input: {}, output: { webhooks: [{ ...webhook, delivered_at: times.discovery }] } },
  deleteWebhook: { input: { id: ids.webhook }, output: { id: ids.webhook, deleted: true } },
  listDeliveries: {
    input: { id: ids.webhook, limit: 50 },
    output: {
      deliveries: [
        {
          id: ids.delivery,
          state: 'delivered',
          type: 'created',
          body,
          queued_at: times.rule,
          attempts: 1,
          due_at: null,
          settled_at: times.discovery,
          last_error: null,
        },
      ],
      next_before: null,
    },
  },
  redeliver: { input: { id: ids.webhook }, output: { queued: 3 } },
} as const
