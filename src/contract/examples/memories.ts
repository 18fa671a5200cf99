import { ids, incident, newIncident, newRule, rule, times } from './world.ts'

const next = 'eyJrIjpbIjIwMjYtMTEtMTJUMTY6NDA6MTIuMzE4WiJdfQ.4f8Q1m'
const inUse = (value: string) => ({ input: {}, output: { values: [{ value, count: 12 }] } })

export const memoryExamples = {
  createMemory: { input: newRule },
  createMemories: {
    input: { memories: [newRule, newIncident] },
    output: { memories: [rule, incident] },
  },
  addTurns: {
    input: {
      turns: [
        { speaker: 'Ada', text: 'May I deploy checkout today?', time: times.rule },
        { speaker: 'assistant', text: 'Not before the load test is green.' },
      ],
    },
    output: { turns: [{ stored: true }, { id: ids.pipeline, stored: true }], stored: 2 },
  },
  extractFacts: { output: { job_id: 'extract:platform-team:chat-2026-11-20', turns: 2 } },
  updateMemory: {
    input: { importance: 0.9, tags: ['checkout', 'deployment', 'release'] },
    output: {
      ...rule,
      importance: 0.9,
      tags: ['checkout', 'deployment', 'release'],
      updated_at: times.recall,
      version: 2,
    },
  },
  deleteMemory: { output: { archived_at: times.applied } },
  restoreMemory: { output: { ...rule, updated_at: times.applied, version: 3 } },
  getMemoryHistory: {
    output: {
      versions: [
        {
          version: 2,
          at: times.recall,
          author: 'operator',
          changed: ['importance'],
          memory: { ...newRule, importance: 0.9 },
        },
        { version: 1, author: ids.key, memory: newRule },
      ],
    },
  },
  revertMemory: {
    input: { version: 1 },
    output: { ...rule, updated_at: times.applied, version: 3 },
  },
  groupMemories: {
    input: { by: 'tag' },
    output: { groups: [{ value: 'checkout', count: 12, mean_importance: 0.6, mean_health: 88 }] },
  },
  listTags: inUse('checkout'),
  listSources: inUse('https://wiki.example/runbooks/checkout'),
  listSessions: inUse('2026-11-20-standup'),
  listKinds: inUse('decision'),
  listMemories: {
    input: { limit: 2 },
    output: { memories: [rule, incident], next_cursor: next, has_more: true },
  },
  searchMemories: {
    input: { query: 'what must pass before a deployment?', search_type: 'hybrid', limit: 5 },
    output: {
      results: [
        {
          score: 1,
          relevance: 0.874,
          sources: { semantic: { rank: 1, score: 0.71243 }, keyword: { rank: 1, score: 1 } },
        },
      ],
    },
  },
  composeContext: {
    input: { query: 'May I deploy checkout today?', max_tokens: 500 },
    output: {
      text: `[1] ${ids.rule} · 2026-11-20 · long_term · checkout, deployment\n${rule.content}\n\n[2] ${incident.id} · 2026-11-12 · long_term · checkout, incident\n${incident.content}`,
      tokens: 142,
      sources: [
        { number: 1, source: rule.source, score: 1, relevance: 0.874 },
        {
          number: 2,
          memory_id: ids.incident,
          source: incident.source,
          role: 'neighbour',
          beside_id: ids.rule,
          relationship_type: 'caused_by',
        },
      ],
    },
  },
} as const
