import type { ToolAnnotations } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type RouteName, routes } from '../../contract/index.ts'
import { controlsOf, creationDefaults, onDuplicate } from '../../contract/memory.ts'
import type { Route } from '../../contract/route.ts'
import { recordRecall, relevanceCut } from '../../contract/search.ts'
import { limit, question } from '../../contract/values.ts'

/** An operation as agents see it. The contract defines everything else. */
export type Tool = {
  readonly title: string
  /** When to use it, for an agent that has to choose. */
  readonly use: string
  /** What it changes; a tool that only reads has none. */
  readonly annotations?: ToolAnnotations
  /** What an agent sends, where that is not all the contract takes. */
  readonly input?: z.ZodObject
  /** What the tool sends besides. */
  readonly sends?: Readonly<Record<string, unknown>>
}

/** Recording recalls is part of reading: a key with the scope `read` may do it, and no memory changes what it says. */
export const reads: ToolAnnotations = { readOnlyHint: true, openWorldHint: false }
const adds = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }
const changes = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false }

/** Hosts cut or refuse answers of more than 25,000 tokens, so one answer stays well below that. */
const contextTokens = z
  .int()
  .min(100)
  .max(16_000)
  .default(2_000)
  .describe('The token budget of the text; 16000 is the maximum.')

const leastRelevance = relevanceCut
  .default('auto')
  .describe(
    'The relevance that a result needs. The default leaves out what does not bear on the query; 0 shows all.',
  )

const turns = z
  .int()
  .min(1)
  .max(1)
  .optional()
  .describe('1 returns with each result the memory right before and right after it in its session.')

const partStart = z
  .int()
  .min(0)
  .max(100_000)
  .optional()
  .describe('Where to start in a long text: the next_start of the part before.')

const onlyCounts = z
  .array(z.enum(['memories', 'connections', 'queue']))
  .min(1)
  .optional()
  .describe('Which counts to return; the default is all.')

const newMemory = withDefaults(routes.createMemory.input)
const whoSees = routes.createMemory.input.shape.visibility

/** Without filters of the memories on the way: each costs a model with every request. */
const pathInput = routes.findPath.input
  .pick({
    source_id: true,
    target_id: true,
    max_depth: true,
    relationship_types: true,
    direction: true,
  })
  .extend({ limit: limit(3, 10) })

/** The tools in the order in which they are listed. */
export const tools = {
  composeContext: {
    title: 'Recall what bears on a question',
    use: 'Use this first, before answering or starting a task: it gathers what is remembered about a question into one text. Without query, an overview. Contradictions appear next to what they contradict; each memory has its id.',
    input: routes.composeContext.input
      .omit({ include_sensitive: true, reference_time: true })
      .extend({ query: question.optional(), max_tokens: contextTokens }),
  },
  createMemory: {
    title: 'Store a memory',
    use: 'Store one fact, decision or preference that will matter later, in words that make sense on their own. Search first: change a memory with update_memory rather than store it twice. policy short_term for what may fade soon, pinned for what must never be archived.',
    annotations: adds,
    input: newMemory.extend({ visibility: whoSees }),
  },
  createMemories: {
    title: 'Store many memories',
    use: 'Store up to 500 memories, all or none. One fact in each.',
    annotations: adds,
    input: routes.createMemories.input.extend({
      memories: z.array(newMemory).min(1).max(500).describe('1 to 500 memories.'),
      visibility: whoSees,
    }),
  },
  getMemory: {
    title: 'Get a memory',
    use: 'A whole memory by its id: lists and searches show passages. Counts as a recall, which keeps the memory alive; record_recall false only looks.',
    input: routes.getMemory.input.omit({ include_embedding: true }).extend({ start: partStart }),
  },
  searchMemories: {
    title: 'Search memories',
    use: 'Find single memories, with filters and scores; compose_context is better for a question. search_type: hybrid in general, keyword for names and exact words, semantic for meaning. The results count as recalled; record_recall false only looks.',
    input: routes.searchMemories.input
      .omit({ by_parts: true, explain: true, highlight: true, reference_time: true })
      .extend({
        record_recall: recordRecall.default(true),
        limit: limit(20, 50),
        around: turns,
        min_relevance: leastRelevance,
      }),
    sends: { by_parts: true },
  },
  listMemories: {
    title: 'List memories',
    use: 'Go through memories by time, importance or tags, page by page, without a question. state archived shows the forgotten ones.',
    input: routes.listMemories.input.extend({ limit: limit(20, 50) }),
  },
  updateMemory: {
    title: 'Change a memory',
    use: 'Change a memory that is wrong or out of date; only the fields sent change. Its id and connections stay.',
    annotations: { ...changes, idempotentHint: false },
  },
  deleteMemory: {
    title: 'Forget a memory',
    use: 'Archive a memory: it is no longer found, and restore_memory brings it back. hard true removes it for good; only when the user asks for that.',
    annotations: changes,
  },
  restoreMemory: {
    title: 'Restore a memory',
    use: 'Make an archived memory active again. One that was superseded holds again too, and is in conflict with the memory that replaced it: resolve_conflict resolves that.',
    annotations: { ...adds, idempotentHint: true },
  },
  getMemoryHistory: {
    title: 'Versions of a memory',
    use: 'What a memory said before, and who changed it.',
    input: routes.getMemoryHistory.input.extend({ limit: limit(5, 20) }),
  },
  revertMemory: {
    title: 'Go back to a version',
    use: 'Give a memory the text and fields of an earlier version, as a new version.',
    annotations: { ...changes, idempotentHint: false },
  },
  listTags: {
    title: 'Tags in use',
    use: 'The tags in use, most used first: look before you tag or filter.',
    input: routes.listTags.input.omit({ offset: true }).extend({ limit: limit(50, 200) }),
  },
  createConnection: {
    title: 'Connect two memories',
    use: 'State how two memories relate, read from source to target: “source contradicts target”, “source caused_by target”. The same connection again replaces what you send.',
    annotations: changes,
    input: withoutClear(routes.createConnection.input),
  },
  listConflicts: {
    title: 'List conflicts',
    use: 'Pairs of active memories that contradict each other; status suggested shows those that may. Ask the user, then use resolve_conflict, or review_conflict for a suggested one where both stay.',
    input: routes.listConflicts.input.extend({ limit: limit(20, 25) }),
  },
  reviewConflict: {
    title: 'Review a suggested conflict',
    use: 'Say whether two memories that the service suspects contradict each other: confirmed or rejected. Both stay; resolve_conflict keeps one.',
    annotations: { ...changes, destructiveHint: false },
  },
  resolveConflict: {
    title: 'Resolve a conflict',
    use: 'Keep one of two memories that contradict each other, and archive the other as superseded.',
    annotations: changes,
  },
  deleteConnection: {
    title: 'Disconnect two memories',
    use: 'Take away a connection that does not hold. Without relationship_type all from source to target.',
    annotations: changes,
  },
  planMaintenance: {
    title: 'Plan to forget or to merge',
    use: 'See which memories would be forgotten (kind forget, with filters such as source) or merged as near duplicates (kind merge). Nothing changes: show the user what it would do, then use apply_maintenance with the plan id.',
    annotations: { ...adds, idempotentHint: true },
    input: routes.planMaintenance.input.pick({ kind: true, filters: true, threshold: true, cursor: true }),
  },
  listMaintenanceRuns: {
    title: 'Plans that wait',
    use: 'Plans that wait for somebody: to archive what a newer memory replaces (kind supersede), or what the schedule did not dare. get_maintenance_run shows what one would do.',
    input: routes.listMaintenanceRuns.input.extend({
      limit: limit(10, 50),
      state: routes.listMaintenanceRuns.input.shape.state.unwrap().default('waiting'),
    }),
  },
  getMaintenanceRun: {
    title: 'What a plan does',
    use: 'The changes of a plan or run by its id, each with its reason.',
  },
  applyMaintenance: {
    title: 'Apply a plan',
    use: 'Do exactly what a plan shows; it can be undone for 7 days. Only when the user agreed.',
    annotations: changes,
  },
  undoMaintenance: {
    title: 'Undo a run',
    use: 'Take back what apply_maintenance did, by its run id. What was changed since stays.',
    annotations: { ...changes, destructiveHint: false },
  },
  relatedMemories: {
    title: 'Related memories',
    use: 'Walk from one memory along its connections: what caused it, supports it, belongs to it. direction both to see what points at it too.',
    input: routes.relatedMemories.input.extend({ limit: limit(20, 50) }),
  },
  findPath: {
    title: 'Path between memories',
    use: 'Find how two memories are connected: the strongest chains of connections between them.',
    input: pathInput,
  },
  listConnections: {
    title: 'List connections',
    use: 'Go through connections, newest first, without a walk: those into one memory with target_id, those of one type, those that discovery made with origin discovered.',
    input: routes.listConnections.input.omit({ valid_at: true }).extend({ limit: limit(50, 100) }),
  },
  runCypher: {
    title: 'Query in Cypher',
    use: 'Count, group or match patterns in read-only Cypher: (m:Memory)-[:SUPPORTS]->(). Properties are the fields of a memory in camelCase: m.createdAt.',
    input: routes.runCypher.input.pick({ query: true }),
  },
  getStats: {
    title: 'Count what is remembered',
    use: 'How many memories and connections there are, by state, policy, type and origin, and whether discovery still has work.',
    input: routes.getStats.input.extend({ only: onlyCounts }),
  },
} as const satisfies Partial<Record<RouteName, Tool>>

export type ToolRoute = keyof typeof tools

export const toolRoutes = Object.keys(tools) as ToolRoute[]

/** A tool carries the name of its operation, as agents write names. */
export const toolName = (name: ToolRoute) => name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

const byName = new Map(toolRoutes.map(name => [toolName(name), name]))

/** The operation behind a tool; undefined when there is no such tool. */
export const routeOfTool = (name: unknown): ToolRoute | undefined => byName.get(String(name))

export const toolInput = (name: ToolRoute): z.ZodObject => {
  const tool: Tool = tools[name]
  const route: Route = routes[name]
  return (tool.input ?? route.input).extend(controlsOf(route).shape)
}

/** What an operation receives when an agent calls its tool. */
export const sentBy = (name: ToolRoute, input: object): object => ({
  ...input,
  ...(tools[name] as Tool).sends,
})

/** Its description costs each agent more than it helps one. */
function withoutClear({ shape: { clear: _clear, ...shape } }: typeof routes.createConnection.input) {
  return z.strictObject(shape)
}

/** REST requires both; an agent seldom has a reason to choose. */
function withDefaults({ shape }: typeof routes.createMemory.input) {
  const { visibility: _ofAll, ...fields } = shape
  return z.strictObject({
    ...fields,
    policy: shape.policy.default(creationDefaults.policy),
    ttl_seconds: shape.ttl_seconds.default(creationDefaults.ttl_seconds),
    on_duplicate: onDuplicate.default('return'),
  })
}
