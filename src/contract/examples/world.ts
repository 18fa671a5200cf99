/** The small world of all examples: what the agents of a team that runs a checkout service remember. */

export const ids = {
  incident: '01a1d0a1-931e-7c3e-b3d1-4c7a91e05f26',
  pipeline: '01a1f342-35f3-7c3e-9e42-71fb06c8d31a',
  rule: '01a1f83d-50ec-7c3e-8a6c-2f9d4b71e803',
  key: '01a1f8b8-72c0-7c3e-b5c8-3e7f10a9d246',
} as const

export const times = {
  outage: '2026-11-12T09:04:00.000Z',
  rule: '2026-11-20T09:15:30.412Z',
  recall: '2026-11-20T14:22:08.951Z',
  applied: '2026-11-21T08:05:41.630Z',
  undoUntil: '2026-11-28T08:05:41.630Z',
} as const

export const model = 'text-embedding-3-small'

export const sha256 = '9c60ae29d8a01f3fa2be4e1ff2e0a6f2ed2a9fc0b5a4b0f1b9d2f9e8e6a3cd71'

const embedding = { model, dimensions: 1536 }

export const newRule = {
  content: 'Deploy checkout to production only after its smoke tests have passed.',
  policy: 'long_term',
  ttl_seconds: 0,
  tags: ['checkout', 'deployment'],
  importance: 0.8,
  source: 'https://wiki.example/runbooks/checkout',
  metadata: { team: 'payments' },
}

export const rule = { ...newRule, health: 100, version: 1, embedding }

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
  ...newIncident,
  health: 94,
  recall_count: 2,
  last_recalled_at: times.recall,
  version: 1,
  embedding,
}

export const ends = { source_id: ids.rule, target_id: ids.incident }

export const newConnection = {
  ...ends,
  relationship_type: 'caused_by',
  strength: 0.9,
  reason: 'The incident review says so.',
} as const

export const createdChange = {
  cursor: 'eyJuIjo0MTI3fQ.9dKx2w',
  kind: 'created',
  at: times.rule,
  memory_id: ids.rule,
  version: 1,
  fields: null,
  connection: null,
  policy: null,
  relevance: null,
} as const

/** The example of a schema with a name, where no other one is given. */
export const wholes: Readonly<Record<string, object>> = {
  Memory: rule,
  CreatedMemory: rule,
  FetchedMemory: rule,
  Connection: { connection: newConnection },
  Edge: newConnection,
}
