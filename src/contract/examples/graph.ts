import { createdChange, ends, ids, incident, model, newConnection, rule, times } from './world.ts'

/** What discovery found. */
const discovered = {
  target_id: ids.pipeline,
  relationship_type: 'related_to',
  strength: 0.7684,
  origin: 'discovered',
  model,
  threshold: 0.7,
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
  createConnection: { input: newConnection },
  createConnections: {
    input: { connections: [newConnection] },
    output: { connections: [{ connection: newConnection }] },
  },
  listConnections: {
    output: { connections: [{ connection: discovered }, { connection: newConnection }], total: 2 },
  },
  deleteConnection: { input: { ...ends, relationship_type: 'caused_by' }, output: { deleted: 1 } },
  listConflicts: { output: { conflicts: [{ target: incident }] } },
  reviewConflict: { input: { ...ends, outcome: 'rejected' }, output: { status: 'rejected' } },
  resolveConflict: {
    input: { keep_id: ids.rule, archive_id: ids.incident, reason: 'The rule is newer.' },
    output: { archived_id: ids.incident, archived_reason: 'superseded' },
  },
  relatedMemories: {
    input: { depth: 2, direction: 'both' },
    output: { related: [{ memory: incident, depth: 1, path_score: 0.9 }] },
  },
  findPath: {
    input: { ...ends, max_depth: 3 },
    output: { paths: [{ score: 0.9, length: 1, memories: [rule, incident], connections: [newConnection] }] },
  },
  exportGraph: {
    output: {
      'application/graphml+xml': graphml,
      'application/gexf+xml': gexf,
      'application/x-ndjson': `${JSON.stringify({ record: 'memory', id: ids.rule, ...rule })}\n`,
      'application/x-cypher-query': `CREATE (:Memory {id: '${ids.rule}', policy: 'long_term'});`,
      'text/csv': `id,content,policy\r\n${ids.rule},${rule.content},long_term`,
    },
  },
  listCommunities: {
    output: {
      communities: [
        {
          id: 'c0b1d64ce2a97f35',
          name: 'checkout, deployment, smoke',
          words: ['checkout', 'deployment', 'smoke', 'tests', 'outage'],
          memories: 14,
          central: [{ title: rule.content, rank: 3.12, degree: 9 }],
        },
      ],
      total: 1,
      computed_at: times.applied,
    },
  },
  getStats: {
    output: {
      memories: {
        total: 128,
        by_state: { active: 121, archived: 7 },
        by_policy: { long_term: 96, pinned: 4, short_term: 28 },
      },
      connections: {
        total: 243,
        by_type: { caused_by: 12, related_to: 231 },
        by_origin: { asserted: 12, discovered: 231 },
      },
      queue: { depth: 1, oldest_age_seconds: 0.4 },
    },
  },
  runCypher: {
    input: {
      query:
        'MATCH (m:Memory)-[r:CAUSED_BY]->(cause:Memory) RETURN m.id AS id, cause.content AS cause LIMIT $most',
      parameters: { most: 10 },
    },
    output: { columns: ['id', 'cause'], rows: [{ id: ids.rule, cause: incident.content }] },
  },
  getInsights: {
    input: { days: 2 },
    output: {
      days: [
        { date: '2026-11-19', created: 1 },
        { date: '2026-11-20', created: 1 },
      ],
      importance: [0, 0, 0, 0, 0, 84, 0, 21, 12, 4],
      health: [0, 2, 3, 1, 8, 5, 7, 11, 24, 60],
      fading: 2,
      unconnected: 9,
      never_recalled: 31,
      near_duplicates: { count: 4, complete: true },
      outliers: { count: 7, complete: true },
      conflicts: 1,
      most_connected: [{ connections: 14 }],
    },
  },
  listInsightMemories: {
    input: { figure: 'near_duplicates' },
    output: { memories: [{ near: [{ memory_id: ids.incident, similarity: 0.983 }] }] },
  },
  listChanges: {
    input: { from: 'oldest', filters: { tags: ['checkout'] } },
    output: { changes: [createdChange], next_cursor: createdChange.cursor },
  },
  followChanges: {
    input: { filters: { tags: ['checkout'] } },
    output: {
      'text/event-stream': `id: ${createdChange.cursor}\nevent: created\ndata: ${JSON.stringify(createdChange)}\n\n`,
    },
  },
} as const
