import { ids, sha256, times } from './world.ts'

const rules = {
  health_decay: 4,
  recall_boost: 10,
  importance_decay: 0.99,
  promote_at_recalls: 5,
  promote_to: 'long_term',
  archive_at_health: 0,
  remove_after_seconds: 7_776_000,
}
const own = { name: 'meeting_notes', ...rules }

const summary = { memories: 128, promote: 1 }
const before = { policy: 'short_term', health: 62, importance: 0.7 }
const change = {
  memory_id: ids.incident,
  change: 'promote',
  reason: 'It was recalled 3 times.',
  rule: 'short_term.promote_at_recalls',
  before,
  after: { ...before, policy: 'long_term' },
} as const
const run = { state: 'applied', applied_at: times.applied, undo_until: times.undoUntil, summary } as const

const erasure = {
  id: ids.pipeline,
  state: 'complete',
  requested_by: ids.key,
  counts: { memories: 3, connections: 4, versions: 5, recalls: 12, answers: 1 },
  digest: sha256,
  verified: true,
  complete: true,
} as const

export const lifecycleExamples = {
  listPolicies: { output: { policies: [{ name: 'pinned', built_in: true, importance_decay: 1 }, own] } },
  putPolicy: { input: own, output: own },
  planMaintenance: { output: { plan_id: ids.pipeline, changes: [change], summary } },
  applyMaintenance: { output: { applied: 1, summary } },
  listMaintenanceRuns: { output: { runs: [run] } },
  getMaintenanceRun: { output: { ...run, changes: [change] } },
  undoMaintenance: { output: { undone: 1 } },
  eraseMemories: {
    input: { filters: { source: 'https://wiki.example/runbooks/checkout' } },
    output: erasure,
  },
  getErasure: { output: erasure },
  eraseTenant: { input: { tenant: 'former-team' }, output: { ...erasure, requested_by: 'operator' } },
} as const
