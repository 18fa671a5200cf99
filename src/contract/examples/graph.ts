import { causedBy, community, ids, incident, relatedTo, rule, times } from './world.ts'

const ends = { source_id: ids.rule, target_id: ids.incident }
const edge = { ...causedBy, source_id: ids.rule }
const cursor = 'eyJuIjo0MTI3fQ.9dKx2w'

export const createdChange = {
  cursor,
  kind: 'created',
  at: times.rule,
  memory_id: ids.rule,
  version: 1,
  fields: null,
  connection: null,
  policy: null,
  relevance: null,
} as const

const graphml = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <graph edgedefault="directed">
    <node id="${ids.rule}"/>
    <node id="${ids.incident}"/>
    <edge source="${ids.rule}" target="${ids.incident}"/>
  </graph>
</graphml>`

const gexf = `<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.3" version="1.3">
  <graph mode="dynamic" defaultedgetype="directed" timeformat="dateTime">
    <nodes><node id="${ids.rule}" start="${times.rule}"/></nodes>
    <edges/>
  </graph>
</gexf>`

export const graphExamples = {
  createConnection: {
    input: { ...ends, relationship_type: 'caused_by', strength: 0.9, reason: causedBy.reason },
    output: { source_id: ids.rule, connection: causedBy },
  },
  createConnections: {
    input: {
      connections: [{ ...ends, relationship_type: 'caused_by', strength: 0.9, reason: causedBy.reason }],
    },
    output: { connections: [{ source_id: ids.rule, connection: causedBy }] },
  },
  listConnections: {
    input: { limit: 50, offset: 0 },
    output: {
      connections: [
        { source_id: ids.rule, connection: relatedTo },
        { source_id: ids.rule, connection: causedBy },
      ],
      total: 2,
      next_cursor: null,
      has_more: false,
      limit: 50,
      offset: 0,
    },
  },
  deleteConnection: {
    input: { ...ends, relationship_type: 'caused_by' },
    output: { ...ends, deleted: 1 },
  },
  listConflicts: {
    input: { limit: 20, offset: 0 },
    output: {
      conflicts: [
        {
          source: rule,
          target: incident,
          created_at: times.recall,
          status: 'confirmed',
          rule: null,
          reason: null,
        },
      ],
      next_cursor: null,
      has_more: false,
      limit: 20,
      offset: 0,
    },
  },
  reviewConflict: {
    input: { source_id: ids.rule, target_id: ids.incident, outcome: 'rejected' },
    output: { source_id: ids.rule, target_id: ids.incident, status: 'rejected' },
  },
  resolveConflict: {
    input: { keep_id: ids.rule, archive_id: ids.incident, reason: 'The rule is newer.' },
    output: { kept_id: ids.rule, archived_id: ids.incident, archived_reason: 'superseded' },
  },
  relatedMemories: {
    input: { id: ids.rule, depth: 2, limit: 20, direction: 'both' },
    output: {
      memory_id: ids.rule,
      related: [{ memory: incident, connection: edge, depth: 1, path_score: 0.9 }],
      truncated: false,
    },
  },
  findPath: {
    input: { ...ends, max_depth: 3 },
    output: {
      ...ends,
      paths: [{ score: 0.9, length: 1, memories: [rule, incident], connections: [edge] }],
      truncated: false,
    },
  },
  exportGraph: {
    input: { format: 'graphml' },
    output: {
      'application/graphml+xml': graphml,
      'application/gexf+xml': gexf,
      'application/x-ndjson': `${JSON.stringify({ record: 'memory', ...rule })}\n`,
      'application/x-cypher-query': `CREATE (:Memory {id: '${ids.rule}', policy: 'long_term'});`,
      'text/csv': `id,content,policy\r\n${ids.rule},${rule.content},long_term`,
    },
  },
  listCommunities: {
    input: { limit: 20 },
    output: {
      communities: [
        {
          id: community,
          name: 'checkout, deployment, smoke',
          words: ['checkout', 'deployment', 'smoke', 'tests', 'outage'],
          memories: 14,
          central: [{ memory_id: ids.rule, title: rule.content, rank: 3.12, degree: 9 }],
        },
      ],
      total: 1,
      computed_at: times.maintenance,
    },
  },
  getStats: {
    input: {},
    output: {
      memories: {
        total: 128,
        by_state: { active: 121, archived: 7 },
        by_policy: { long_term: 96, pinned: 4, short_term: 28 },
        embeddings_pending: 0,
        embeddings_failed: 0,
      },
      connections: {
        total: 243,
        by_type: { caused_by: 12, related_to: 231 },
        by_origin: { asserted: 12, discovered: 231 },
      },
      queue: { depth: 1, failed: 0, oldest_age_seconds: 0.4 },
      model: null,
    },
  },
  runCypher: {
    input: {
      query:
        'MATCH (m:Memory)-[r:CAUSED_BY]->(cause:Memory) RETURN m.id AS id, cause.content AS cause LIMIT $most',
      parameters: { most: 10 },
    },
    output: {
      columns: ['id', 'cause'],
      rows: [{ id: ids.rule, cause: incident.content }],
      truncated: false,
      plan: null,
    },
  },
  getInsights: {
    input: { days: 2 },
    output: {
      days: [
        { date: '2026-11-19', created: 1, archived: 0 },
        { date: '2026-11-20', created: 1, archived: 0 },
      ],
      importance: [0, 0, 0, 0, 0, 84, 0, 21, 12, 4],
      health: [0, 2, 3, 1, 8, 5, 7, 11, 24, 60],
      fading: 2,
      unconnected: 9,
      never_recalled: 31,
      near_duplicates: { count: 4, complete: true },
      outliers: { count: 7, complete: true },
      conflicts: 1,
      most_connected: [{ memory_id: ids.rule, connections: 14 }],
    },
  },
  listInsightMemories: {
    input: { figure: 'near_duplicates' },
    output: {
      memories: [{ memory: rule, near: [{ memory_id: ids.incident, similarity: 0.983 }] }],
      next_cursor: null,
      has_more: false,
      truncated: false,
      limit: 20,
    },
  },
  listChanges: {
    input: { from: 'oldest', limit: 100, filters: { tags: ['checkout'] } },
    output: {
      changes: [createdChange],
      next_cursor: cursor,
      has_more: false,
      limit: 100,
    },
  },
  followChanges: {
    input: { filters: { tags: ['checkout'] } },
    output: {
      'text/event-stream': `id: ${cursor}\nevent: created\ndata: ${JSON.stringify(createdChange)}\n\n`,
    },
  },
} as const
