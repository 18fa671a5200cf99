import { ids, times } from './world.ts'

const rules = {
  health_decay: 4,
  recall_boost: 10,
  importance_decay: 0.99,
  promote_at_recalls: 5,
  promote_to: 'long_term',
  archive_at_health: 0,
  remove_after_seconds: 7_776_000,
}

const builtIn = {
  name: 'pinned',
  built_in: true,
  overridden: false,
  health_decay: 0,
  recall_boost: 0,
  importance_decay: 1,
  promote_at_recalls: null,
  promote_to: null,
  archive_at_health: null,
  remove_after_seconds: null,
}

const notes = { name: 'meeting_notes', built_in: false, overridden: false, ...rules }
const summary = {
  memories: 128,
  decay: 0,
  recall: 0,
  promote: 1,
  archive: 0,
  remove: 0,
  merge: 0,
  extract: 0,
}
const before = { state: 'active', policy: 'short_term', health: 62, importance: 0.7 } as const

const change = {
  memory_id: ids.incident,
  change: 'promote',
  reason: 'It was recalled 3 times.',
  rule: 'short_term.promote_at_recalls',
  before,
  after: { ...before, policy: 'long_term' },
} as const

const run = {
  id: ids.plan,
  state: 'applied',
  kind: 'lifecycle',
  origin: 'asked',
  at: times.maintenance,
  applied_at: times.applied,
  undone_at: null,
  undo_until: times.undoUntil,
  summary,
} as const

const erasure = {
  id: ids.plan,
  requested_by: ids.key,
  at: times.applied,
  counts: { memories: 3, connections: 4, versions: 5, recalls: 12, jobs: 0, answers: 1 },
  digest: '4a44dc15364204a80fe80e9039455cc1608281820fe2b24f1e5233ade6af1dd5',
  verified: true,
  complete: true,
}

export const lifecycleExamples = {
  listPolicies: { input: {}, output: { policies: [builtIn, notes] } },
  putPolicy: { input: { name: notes.name, ...rules }, output: notes },
  deletePolicy: { input: { name: notes.name }, output: { name: notes.name, deleted: true } },
  planMaintenance: {
    input: {},
    output: {
      plan_id: ids.plan,
      at: times.maintenance,
      changes: [change],
      summary,
      truncated: false,
      next_cursor: null,
      left_out: [],
    },
  },
  applyMaintenance: {
    input: { id: ids.plan },
    output: { run_id: ids.plan, applied: 1, left_out: [], summary },
  },
  listMaintenanceRuns: { input: { limit: 20 }, output: { runs: [run], has_more: false } },
  getMaintenanceRun: { input: { id: ids.plan }, output: { ...run, changes: [change] } },
  eraseMemories: {
    input: { filters: { source: 'https://wiki.example/runbooks/checkout' }, dry_run: false },
    output: erasure,
  },
  getErasure: { input: { id: ids.plan }, output: erasure },
  undoMaintenance: { input: { id: ids.plan }, output: { run_id: ids.plan, undone: 1, skipped: [] } },
} as const
