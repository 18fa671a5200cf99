/** The small world of all examples: what the agents of a team that runs a checkout service remember. */

export const ids = {
  incident: '01a1d0a1-931e-7c3e-b3d1-4c7a91e05f26',
  pipeline: '01a1f342-35f3-7c3e-9e42-71fb06c8d31a',
  rule: '01a1f83d-50ec-7c3e-8a6c-2f9d4b71e803',
  turn: '01a1f83d-50ec-8c3e-8a6c-2f9d4b71e804',
  nextTurn: '01a1f83d-5404-8c3e-8a6c-2f9d4b71e805',
  key: '01a1f8b8-72c0-7c3e-b5c8-3e7f10a9d246',
  nextKey: '01a1f9d2-0b5e-7c3e-a2d1-5f8e0c7b6a39',
  plan: '01a1fbd4-f5fa-7c3e-84e1-d91a7c3f5062',
  webhook: '01a1f344-1c07-7c3e-a2f5-90b14e6d7c38',
  delivery: '01a1f83d-5a10-7c3e-9b77-1d2e3f405a61',
  space: '8c1f0a5be294',
  nextSpace: '3b97d2e60a41',
} as const

export const times = {
  outage: '2026-11-12T09:04:00.000Z',
  incident: '2026-11-12T16:40:12.318Z',
  pipeline: '2026-11-19T10:02:45.107Z',
  rule: '2026-11-20T09:15:30.412Z',
  discovery: '2026-11-20T09:15:31.204Z',
  recall: '2026-11-20T14:22:08.951Z',
  maintenance: '2026-11-21T02:00:00.250Z',
  applied: '2026-11-21T08:05:41.630Z',
  undoUntil: '2026-11-28T08:05:41.630Z',
} as const

export const model = 'text-embedding-3-small'

export const community = 'c0b1d64ce2a97f35'

const embedding = { status: 'ready', model, dimensions: 1536, truncated: false } as const

const fresh = {
  policy: 'long_term',
  ttl_seconds: 0,
  state: 'active',
  health: 100,
  recall_count: 0,
  last_recalled_at: null,
  expires_at: null,
  archived_at: null,
  archived_reason: null,
  session_id: null,
  speaker: null,
  owner: null,
  sensitive: [],
  kind: 'decision',
  metadata: {},
  valid_from: null,
  valid_until: null,
  version: 1,
  community,
  embedding,
} as const

export const newRule = {
  content: 'Deploy checkout to production only after its smoke tests have passed.',
  policy: 'long_term',
  ttl_seconds: 0,
  tags: ['checkout', 'deployment'],
  importance: 0.8,
  source: 'https://wiki.example/runbooks/checkout',
  metadata: { team: 'payments' },
}

export const rule = {
  id: ids.rule,
  ...fresh,
  ...newRule,
  created_at: times.rule,
  updated_at: times.rule,
}

export const newIncident = {
  content: 'The checkout outage of 12 November was caused by a deployment without smoke tests.',
  policy: 'long_term',
  ttl_seconds: 0,
  tags: ['checkout', 'incident'],
  importance: 0.7,
  source: 'https://wiki.example/incidents/2026-11-12',
  session_id: 'review-2026-11-13',
  speaker: 'Ada',
  kind: 'event',
  valid_from: times.outage,
}

export const incident = {
  id: ids.incident,
  ...fresh,
  ...newIncident,
  health: 94,
  recall_count: 2,
  last_recalled_at: times.recall,
  created_at: times.incident,
  updated_at: times.incident,
}

/** Why the rule exists: a caller said so. */
export const causedBy = {
  target_id: ids.incident,
  relationship_type: 'caused_by',
  strength: 0.9,
  created_at: times.discovery,
  origin: 'asserted',
  model: null,
  threshold: null,
  reason: 'The incident review says so.',
  valid_from: null,
  valid_until: null,
} as const

/** What discovery found. */
export const relatedTo = {
  target_id: ids.pipeline,
  relationship_type: 'related_to',
  strength: 0.7684,
  created_at: times.discovery,
  origin: 'discovered',
  model,
  threshold: 0.7,
  reason: null,
  valid_from: null,
  valid_until: null,
} as const
