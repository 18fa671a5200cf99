import { causedBy, ids, incident, newIncident, newRule, rule, times } from './world.ts'

const { content, policy, ttl_seconds, tags, importance, source, session_id, speaker, kind, metadata } = rule
const { valid_from, valid_until, state, archived_reason } = rule
const fields = { content, policy, ttl_seconds, tags, importance, source, session_id, speaker, kind, metadata }
const snapshot = { ...fields, valid_from, valid_until, state, archived_reason }

export const memoryExamples = {
  createMemory: { input: newRule, output: rule },
  createMemories: {
    input: { memories: [newRule, newIncident] },
    output: { memories: [rule, incident] },
  },
  addTurns: {
    input: {
      session_id: 'chat-2026-11-20',
      turns: [
        { speaker: 'Ada', text: 'May I deploy checkout today?', time: times.rule },
        { speaker: 'assistant', text: 'Not before the load test is green.', time: times.discovery },
      ],
    },
    output: {
      session_id: 'chat-2026-11-20',
      turns: [
        { id: ids.turn, stored: true, sensitive: [] },
        { id: ids.nextTurn, stored: true, sensitive: [] },
      ],
      stored: 2,
      extraction_job: null,
    },
  },
  extractFacts: {
    input: { session_id: 'chat-2026-11-20', repeat: false },
    output: {
      session_id: 'chat-2026-11-20',
      job_id: 'extract:platform-team:chat-2026-11-20',
      turns: 2,
    },
  },
  getMemory: { input: { id: ids.incident }, output: incident },
  updateMemory: {
    input: { id: ids.rule, importance: 0.9, tags: ['checkout', 'deployment', 'release'] },
    output: {
      ...rule,
      importance: 0.9,
      tags: ['checkout', 'deployment', 'release'],
      updated_at: times.recall,
      version: 2,
    },
  },
  deleteMemory: {
    input: { id: ids.incident, hard: false },
    output: { id: ids.incident, state: 'archived', hard: false, archived_at: times.applied },
  },
  restoreMemory: {
    input: { id: ids.incident },
    output: { ...incident, health: 100, updated_at: times.applied, version: 3 },
  },
  getMemoryHistory: {
    input: { id: ids.rule, limit: 20 },
    output: {
      memory_id: ids.rule,
      versions: [
        {
          version: 2,
          at: times.recall,
          author: 'operator',
          reason: null,
          changed: ['importance'],
          memory: { ...snapshot, importance: 0.9 },
        },
        { version: 1, at: times.rule, author: ids.key, reason: null, changed: [], memory: snapshot },
      ],
      has_more: false,
    },
  },
  revertMemory: {
    input: { id: ids.rule, version: 1 },
    output: { ...rule, updated_at: times.applied, version: 3 },
  },
  groupMemories: {
    input: { by: 'tag', limit: 50, valid_at: 'any' },
    output: {
      groups: [{ value: 'checkout', count: 12, mean_importance: 0.6, mean_health: 88 }],
      truncated: false,
    },
  },
  listTags: {
    input: { limit: 50, offset: 0 },
    output: {
      values: [{ value: 'checkout', count: 12 }],
      next_cursor: null,
      has_more: false,
      limit: 50,
      offset: 0,
    },
  },
  listSources: {
    input: { limit: 50, offset: 0 },
    output: {
      values: [{ value: 'https://wiki.example/runbooks/checkout', count: 12 }],
      next_cursor: null,
      has_more: false,
      limit: 50,
      offset: 0,
    },
  },
  listSessions: {
    input: { limit: 50, offset: 0 },
    output: {
      values: [{ value: '2026-11-20-standup', count: 12 }],
      next_cursor: null,
      has_more: false,
      limit: 50,
      offset: 0,
    },
  },
  listKinds: {
    input: { limit: 50, offset: 0 },
    output: {
      values: [{ value: 'decision', count: 12 }],
      next_cursor: null,
      has_more: false,
      limit: 50,
      offset: 0,
    },
  },
  listMemories: {
    input: { limit: 2, order_by: 'created_at', order: 'desc' },
    output: {
      memories: [rule, incident],
      next_cursor: 'eyJrIjpbIjIwMjYtMTEtMTJUMTY6NDA6MTIuMzE4WiJdfQ.4f8Q1m',
      has_more: true,
      truncated: false,
      limit: 2,
    },
  },
  searchMemories: {
    input: { query: 'what must pass before a deployment?', search_type: 'hybrid', limit: 5 },
    output: {
      results: [
        {
          memory: rule,
          score: 1,
          relevance: 0.874,
          sources: { semantic: { rank: 1, score: 0.71243 }, keyword: { rank: 1, score: 1 } },
          conflicts: [],
          highlight: null,
          newer: [],
          around: [],
          explain: null,
        },
      ],
      search_type: 'hybrid',
      query: null,
      has_more: false,
      next_cursor: null,
      truncated: false,
      weak_left_out: 0,
      degraded: false,
      parts: [],
    },
  },
  composeContext: {
    input: { query: 'May I deploy checkout today?', max_tokens: 500 },
    output: {
      text: `[1] ${rule.id} · 2026-11-20 · long_term · checkout, deployment\n${rule.content}\n\n[2] ${incident.id} · 2026-11-12 · long_term · checkout, incident\n${incident.content}`,
      tokens: 142,
      sources: [
        {
          number: 1,
          memory_id: ids.rule,
          source: rule.source,
          role: 'hit',
          score: 1,
          relevance: 0.874,
          beside_id: null,
          joins: null,
          relationship_type: null,
          excerpt: false,
        },
        {
          number: 2,
          memory_id: ids.incident,
          source: incident.source,
          role: 'neighbour',
          score: null,
          relevance: null,
          beside_id: ids.rule,
          joins: null,
          relationship_type: causedBy.relationship_type,
          excerpt: false,
        },
      ],
      left_out: 0,
      weak_left_out: 0,
      sensitive_left_out: 0,
      truncated: false,
      degraded: false,
      parts: [],
    },
  },
} as const
