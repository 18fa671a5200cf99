import { z } from 'zod'
import { origin, relationshipType } from '../../contract/connections.ts'
import type { Output } from '../../contract/index.ts'
import { state } from '../../contract/memory.ts'
import { searchRoutes } from '../../contract/search.ts'
import { type FoundPassage, partFrom, passageOf, shortMemory, shownRows } from './short.ts'
import type { ToolRoute } from './tools.ts'

/** What tools answer: so much that a model can act on it. A field without a value is omitted. */

const shown = {
  id: z.string(),
  policy: z.string(),
  tags: z.array(z.string()),
  importance: z.number(),
  source: z.string().optional(),
  session_id: z.string().optional(),
  owner: z.string().optional().describe('Whose private memory it is.'),
  speaker: z.string().optional(),
  sensitive: z.array(z.string()).optional().describe('The kinds of secrets in it.'),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  state,
  valid_from: z.string().optional(),
  valid_until: z.string().optional(),
  expires_at: z.string().optional(),
  created_at: z.string(),
  updated_at: z.string(),
  version: z.int(),
}

const short = z.object({
  ...shown,
  content: z.string().optional().describe('The whole text, if it is short.'),
  passage: z.string().optional().describe('A part of a longer text; get_memory returns all of it.'),
  characters: z.int().optional().describe('The length of the whole text, if a passage is shown.'),
})

const turn = short.pick({
  id: true,
  speaker: true,
  valid_from: true,
  valid_until: true,
  created_at: true,
  content: true,
  passage: true,
  characters: true,
})

const whole = z.object({
  ...shown,
  content: z.string(),
  next_start: z.int().optional().describe('Where the next part of a long text starts.'),
  characters: z.int().optional(),
  ttl_seconds: z.int(),
  health: z.number(),
  recall_count: z.int(),
  last_recalled_at: z.string().optional(),
  archived_at: z.string().optional(),
  archived_reason: z.string().optional(),
  fades_at: z.string().optional(),
})

const created = short.extend({ duplicate_of: z.string().optional() })

const edge = z.object({
  source_id: z.string(),
  relationship_type: relationshipType,
  target_id: z.string(),
  strength: z.number().optional(),
  origin,
  reason: z.string().optional(),
  valid_from: z.string().optional(),
  valid_until: z.string().optional(),
})

const changes = z.array(z.object({ memory_id: z.string(), change: z.string(), reason: z.string() }))

const notShown = z.int().optional().describe('How many more changes the plan has.')

const run = z.object({
  id: z.string(),
  kind: z.string(),
  origin: z.string(),
  state: z.string(),
  at: z.string(),
  applied_at: z.string().optional(),
  undo_until: z.string().optional(),
  summary: z.record(z.string(), z.int()),
})

const more = { has_more: z.boolean(), limit: z.int(), offset: z.int() }
const truncated = z.boolean()
const counts = z.record(z.string(), z.int())

export const outputs = {
  composeContext: z.object({
    text: z.string(),
    tokens: z.int(),
    sources: z.array(
      z.object({
        number: z.int(),
        memory_id: z.string(),
        role: z.string(),
        joins: z.array(z.string()).optional().describe('The two hits that a bridge joins.'),
      }),
    ),
    left_out: z.int(),
    weak_left_out: z.int(),
    sensitive_left_out: z.int(),
    truncated,
    degraded: z.boolean(),
    parts: z.array(z.string()).describe('What was searched for, if the question is long.'),
  }),
  createMemory: created,
  createMemories: z.object({
    memories: z.array(z.object({ id: z.string(), duplicate_of: z.string().optional() })),
  }),
  getMemory: whole,
  searchMemories: z.object({
    results: z.array(
      z.object({
        memory: short,
        score: z.number(),
        relevance: z.number(),
        conflicts: z.array(z.string()),
        newer: z.array(z.string()).describe('Newer results that say nearly the same.'),
        around: z.array(z.object({ offset: z.int(), memory: turn })).describe('Its turns, with around.'),
      }),
    ),
    search_type: searchRoutes.searchMemories.output.shape.search_type,
    has_more: z.boolean(),
    next_cursor: z.string().optional(),
    truncated,
    weak_left_out: z.int(),
    degraded: z.boolean(),
  }),
  listMemories: z.object({
    memories: z.array(short),
    next_cursor: z.string().optional(),
    has_more: z.boolean(),
    truncated,
    limit: z.int(),
  }),
  updateMemory: short,
  deleteMemory: z.object({
    id: z.string(),
    state: z.string(),
    hard: z.boolean(),
    archived_at: z.string().optional(),
  }),
  restoreMemory: short,
  getMemoryHistory: z.object({
    memory_id: z.string(),
    versions: z.array(
      z.object({
        version: z.int(),
        at: z.string(),
        author: z.string().optional(),
        reason: z.string().optional(),
        changed: z.array(z.string()),
        content: short.shape.content,
        passage: short.shape.passage,
        characters: short.shape.characters,
      }),
    ),
    has_more: z.boolean(),
  }),
  revertMemory: short,
  listTags: z.object({
    values: z.array(z.object({ value: z.string(), count: z.int() })),
    next_cursor: z.string().optional(),
    has_more: z.boolean(),
  }),
  createConnection: z.object({ source_id: z.string(), connection: edge.omit({ source_id: true }) }),
  listConflicts: z.object({
    conflicts: z.array(
      z.object({
        source: short,
        target: short,
        created_at: z.string(),
        status: z.string(),
        reason: z.string().optional(),
      }),
    ),
    ...more,
  }),
  reviewConflict: z.object({ source_id: z.string(), target_id: z.string(), status: z.string() }),
  resolveConflict: z.object({ kept_id: z.string(), archived_id: z.string(), archived_reason: z.string() }),
  deleteConnection: z.object({ source_id: z.string(), target_id: z.string(), deleted: z.int() }),
  planMaintenance: z.object({
    plan_id: z.string().optional(),
    changes,
    not_shown: notShown,
    summary: counts,
    truncated,
    next_cursor: z.string().optional(),
  }),
  listMaintenanceRuns: z.object({ runs: z.array(run), has_more: z.boolean() }),
  getMaintenanceRun: run.extend({ changes, not_shown: notShown }),
  applyMaintenance: z.object({
    run_id: z.string(),
    applied: z.int(),
    left_out: z.array(z.object({ memory_id: z.string(), reason: z.string() })),
  }),
  undoMaintenance: z.object({ run_id: z.string(), undone: z.int(), skipped: z.array(z.string()) }),
  relatedMemories: z.object({
    memory_id: z.string(),
    related: z.array(z.object({ memory: short, connection: edge, depth: z.int(), path_score: z.number() })),
    truncated,
  }),
  findPath: z.object({
    source_id: z.string(),
    target_id: z.string(),
    paths: z.array(
      z.object({
        score: z.number(),
        length: z.int(),
        memories: z.array(short),
        connections: z.array(edge),
      }),
    ),
    truncated,
  }),
  listConnections: z.object({
    connections: z.array(z.object({ source_id: z.string(), connection: edge.omit({ source_id: true }) })),
    total: z.int(),
    limit: z.int(),
    offset: z.int(),
  }),
  runCypher: z.object({
    columns: z.array(z.string()),
    rows: z.array(z.record(z.string(), z.unknown())),
    truncated: z.boolean().describe('Whether rows are missing.'),
  }),
  getStats: z.object({
    memories: z
      .object({ total: z.int(), by_state: counts, by_policy: counts, embeddings_pending: z.int() })
      .optional(),
    connections: z.object({ total: z.int(), by_type: counts, by_origin: counts }).optional(),
    queue: z
      .object({ depth: z.int(), failed: z.int(), oldest_age_seconds: z.number().optional() })
      .optional(),
  }),
} as const satisfies Record<ToolRoute, z.ZodObject>

/** Longer plans are shown by their beginning and their counts. */
export const SHOWN_CHANGES = 50

/** An answer of the service as its tool gives it: memories by a passage, and without what no agent needs. */
export function shorten(name: ToolRoute, answer: unknown, start: number): Record<string, unknown> {
  if (name === 'getMemory') {
    const memory = answer as Output<'getMemory'>
    return outputs[name].parse(walk({ ...memory, ...partFrom(memory.content, start) }, each => each))
  }
  if (name === 'getMemoryHistory') {
    const { versions, ...rest } = answer as Output<'getMemoryHistory'>
    const shortened = versions.map(({ memory, ...version }) => ({ ...version, ...passageOf(memory) }))
    return outputs[name].parse(walk({ ...rest, versions: shortened }, each => each))
  }
  if (name === 'runCypher') {
    const { columns, rows, truncated } = answer as Output<'runCypher'>
    const shown = shownRows(rows)
    return { columns, rows: shown, truncated: truncated || shown.length < rows.length }
  }
  if (name === 'planMaintenance' || name === 'getMaintenanceRun') {
    const { changes: all, ...rest } = answer as Output<typeof name>
    const hidden = all.length - SHOWN_CHANGES
    const cut = {
      ...rest,
      changes: all.slice(0, SHOWN_CHANGES),
      ...(hidden > 0 && { not_shown: hidden }),
    }
    return outputs[name].parse(walk(cut, shortMemory))
  }
  return outputs[name].parse(walk(answer, shortMemory))
}

/** Without nulls, and with each memory as `show` makes it. */
function walk(value: unknown, show: (memory: FoundPassage) => object): unknown {
  if (Array.isArray(value)) return value.map(each => walk(each, show))
  if (typeof value !== 'object' || value === null) return value
  const { memory, highlight } = value as { memory?: FoundPassage; highlight?: FoundPassage['highlight'] }
  if (memory && highlight) return walk({ ...value, memory: { ...memory, highlight }, highlight: null }, show)
  const kept = 'embedding' in value && 'content' in value ? show(value as FoundPassage) : value
  return Object.fromEntries(
    Object.entries(kept).flatMap(([name, each]) =>
      each === null || each === undefined || name === 'highlight' ? [] : [[name, walk(each, show)]],
    ),
  )
}
