import type { GraphEdge } from '../../contract/graph.ts'
import type { Output } from '../../contract/index.ts'
import type { MaintenanceRun } from '../../contract/maintenance.ts'
import type { Memory } from '../../contract/memory.ts'
import { headingOf, whenSaid } from '../../contract/memory-heading.ts'
import type { NearTurn } from '../../contract/search.ts'
import { SHOWN_CHANGES } from './outputs.ts'
import { type FoundPassage, partFrom, passageOf, shortTags, shortText, shownRows } from './short.ts'
import type { ToolRoute } from './tools.ts'

const BY_WORDS_ALONE = 'Searched by words alone: the embedding provider gives no vector.'
const BY_PARTS =
  'The question is long, so its beginning, its end and its most telling words were searched for. A shorter one finds more.'
const BOUNDED = 'The search was bounded: something may be missing. A query of fewer words misses less.'

const weaker = (count: number) => `${count} weaker results are left out: min_relevance 0 shows them.`

/** What an answer depends on besides the operation: the place in a long content, and which counts are asked for. */
export type Shown = { readonly start: number; readonly only?: readonly string[] | undefined }

/** An answer in words, for hosts that show their model the text alone. */
export const texts: { [Name in ToolRoute]: (answer: Output<Name>, shown: Shown) => string } = {
  composeContext: ({ text, left_out, weak_left_out, sensitive_left_out, truncated, degraded, parts }) =>
    withRemarks(
      text,
      parts.length > 0 && BY_PARTS,
      degraded && BY_WORDS_ALONE,
      truncated && BOUNDED,
      left_out > 0 && `${left_out} more did not fit: raise max_tokens, or narrow the question.`,
      weak_left_out > 0 && weaker(weak_left_out),
      sensitive_left_out > 0 && `${sensitive_left_out} with secrets are not shown.`,
    ),
  createMemory: ({ id, owner, duplicate_of, not_stored = [] }) => {
    if (duplicate_of === undefined) return `Stored ${id}${owner === null ? '' : ', private'}.`
    const it = not_stored.length === 1 ? 'it' : 'them'
    const rest = `Not stored: ${not_stored.join(', ')}. To add ${it}, use update_memory.`
    return `Already stored as ${id}.${not_stored.length === 0 ? '' : ` ${rest}`}`
  },
  createMemories: ({ memories }) =>
    [
      `Stored ${memories.filter(({ duplicate_of }) => duplicate_of === undefined).length}:`,
      ...memories.map(({ id, duplicate_of, not_stored = [] }) => {
        const without = not_stored.length === 0 ? '' : `, without its ${not_stored.join(', ')}`
        return duplicate_of === undefined ? id : `${id} (already stored${without})`
      }),
    ].join('\n'),
  getMemory: (memory, { start }) => whole(memory, start),
  searchMemories: ({ results, has_more, next_cursor, truncated, weak_left_out, degraded, parts }) =>
    listed(
      results.map(
        ({ memory, score, conflicts, highlight, newer, around }) =>
          `${score.toFixed(2)} ${brief({ ...memory, highlight })}${conflicts.map(id => `\n    conflicts with ${id}`).join('')}${newer.map(id => `\n    newer: ${id}`).join('')}${around.map(toTurn).join('')}`,
      ),
      parts.length > 0 && BY_PARTS,
      degraded && BY_WORDS_ALONE,
      truncated && BOUNDED,
      weak_left_out > 0 && weaker(weak_left_out),
      next_cursor !== null
        ? `There is more: raise limit, narrow the search, or continue with cursor ${next_cursor}`
        : has_more && 'There is more: raise limit, or narrow the search.',
    ),
  listMemories: ({ memories, next_cursor, truncated }) =>
    listed(
      memories.map(brief),
      truncated && 'The page was bounded: continue with the cursor.',
      next_cursor !== null && `There is more: cursor ${next_cursor}`,
    ),
  updateMemory: ({ id, version }) => `Changed ${id}, now version ${version}.`,
  deleteMemory: ({ id, hard }) =>
    hard ? `Removed ${id} for good.` : `Archived ${id}; restore_memory brings it back.`,
  restoreMemory: ({ id, valid_until }) =>
    `${id} is active.${isOver(valid_until) ? ` It held until ${valid_until}: to have it found, clear valid_until.` : ''}`,
  getMemoryHistory: ({ memory_id, versions, has_more }) =>
    listed(
      [
        `Versions of ${memory_id}:`,
        ...versions.map(({ version, at, author, reason, changed, memory }) => {
          const by = [
            author === null ? '' : ` by ${author}`,
            reason === null ? '' : ` (${shortText(reason)})`,
          ]
          const what = changed.length === 0 ? '' : `: ${changed.join(', ')}`
          return `version ${version}, ${at.slice(0, 16)}${by.join('')}${what}\n    ${whenSaid({ ...memory, created_at: at })}: ${textOf(memory)}`
        }),
      ],
      has_more && `There is more: continue with before_version ${versions.at(-1)?.version}.`,
    ),
  revertMemory: ({ id, version }) => `Changed ${id} back, now version ${version}.`,
  listTags: ({ values, next_cursor }) =>
    listed(
      values.map(({ value, count }) => `${count} ${shortText(value)}`),
      next_cursor !== null && `There is more: cursor ${next_cursor}`,
    ),
  createConnection: ({ source_id, connection }) => `Connected: ${arrow({ source_id, ...connection })}`,
  deleteConnection: ({ deleted, source_id, target_id }) =>
    `Disconnected ${source_id} from ${target_id}: ${deleted} taken away.`,
  planMaintenance: ({ plan_id, changes, next_cursor }) =>
    listed(
      toChanges(changes),
      notShown(changes),
      plan_id !== null && `Plan ${plan_id}: nothing has changed yet.`,
      next_cursor !== null && `There is more: apply this plan, then plan again with cursor ${next_cursor}`,
    ),
  listMaintenanceRuns: ({ runs, has_more }) =>
    listed(runs.map(toRun), has_more && 'There is more: raise limit.'),
  getMaintenanceRun: ({ changes, ...run }) =>
    withRemarks([toRun(run), ...toChanges(changes)].join('\n'), notShown(changes)),
  applyMaintenance: ({ run_id, applied, left_out }) =>
    withRemarks(
      `Changed ${applied} memories. Undo the run ${run_id} within 7 days.`,
      left_out.length > 0 &&
        `These stay as they are: ${left_out
          .slice(0, SHOWN_CHANGES)
          .map(({ memory_id, reason }) => `${memory_id} (${reason})`)
          .join(', ')}`,
    ),
  undoMaintenance: ({ undone, skipped }) =>
    withRemarks(
      `Undid ${undone} changes.`,
      skipped.length > 0 &&
        `These stay, as they were changed since: ${skipped.slice(0, SHOWN_CHANGES).join(', ')}`,
    ),
  relatedMemories: ({ related, truncated }) =>
    listed(
      related.map(
        ({ memory, connection, path_score }) =>
          `${path_score.toFixed(2)} ${brief(memory)}\n    ${arrow(connection)}`,
      ),
      truncated && 'The walk was bounded: something may be missing.',
    ),
  findPath: ({ paths, truncated }) =>
    listed(
      paths.map(({ score, memories, connections }) =>
        [`${score.toFixed(2)}`, ...memories.map(brief), ...connections.map(arrow)].join('\n  '),
      ),
      truncated && 'The walk was bounded: something may be missing.',
    ),
  listConnections: ({ connections, total, ...page }) =>
    listed(
      connections.map(({ source_id, connection }) => arrow({ source_id, ...connection })),
      page.has_more && `There is more: ${total} in all, continue with ${placeAfter(page)}.`,
    ),
  listConflicts: ({ conflicts, ...page }) =>
    listed(
      conflicts.map(
        ({ source, target, status, reason }) =>
          `${brief(source)}\n  ${[status === 'confirmed' ? 'contradicts' : 'may contradict', reason].filter(Boolean).join(': ')}\n${brief(target)}`,
      ),
      page.has_more && `There is more: continue with ${placeAfter(page)}.`,
    ),
  reviewConflict: ({ source_id, target_id, status }) =>
    `The conflict of ${source_id} and ${target_id} is ${status}.`,
  resolveConflict: ({ kept_id, archived_id }) =>
    `Kept ${kept_id}; archived ${archived_id}; restore_memory brings it back, and the conflict.`,
  runCypher: ({ rows, truncated }) => {
    const shown = shownRows(rows)
    return listed(
      shown.map(row => JSON.stringify(row)),
      (truncated || shown.length < rows.length) && 'There is more: use LIMIT, or return less of each row.',
    )
  },
  getStats: ({ memories, connections, queue }, { only }) => {
    const lines = {
      memories: [
        `memories: ${memories.total} (${counted(memories.by_state)})`,
        `policies: ${counted(memories.by_policy)}`,
        `without a vector yet: ${memories.embeddings_pending} (${memories.embeddings_failed} cannot be embedded)`,
      ],
      connections: [
        `connections: ${connections.total} (${counted(connections.by_origin)})`,
        `types: ${counted(connections.by_type)}`,
      ],
      queue: [`queue: ${counted({ waiting: queue.depth, failed: queue.failed })}`],
    }
    return Object.entries(lines)
      .flatMap(([name, each]) => (only === undefined || only.includes(name) ? each : []))
      .join('\n')
  },
}

type Changes = Output<'getMaintenanceRun'>['changes']

const toChanges = (changes: Changes) =>
  changes.slice(0, SHOWN_CHANGES).map(({ memory_id, change, reason }) => `${change} ${memory_id}: ${reason}`)

const notShown = ({ length }: Changes) =>
  length > SHOWN_CHANGES && `${length - SHOWN_CHANGES} more changes are not shown.`

/** A plan or a run in one line. The number of all memories says nothing about it. */
function toRun({ id, kind, origin, state, at, summary: { memories: _, ...does } }: MaintenanceRun): string {
  const done = Object.entries(does).filter(([, count]) => count > 0)
  return `${id} ${kind}, ${origin}, ${state}, ${at.slice(0, 16)}: ${counted(Object.fromEntries(done))}`
}

const placeAfter = ({ next_cursor, offset, limit }: Paged) =>
  next_cursor === null ? `offset ${offset + limit}` : `cursor ${next_cursor}`

type Paged = Pick<Output<'listConflicts'>, 'next_cursor' | 'offset' | 'limit'>

const isOver = (until: string | null) => until !== null && Date.parse(until) <= Date.now()

/** Numbers by what they count. */
const counted = (numbers: Readonly<Record<string, number>>): string =>
  Object.entries(numbers)
    .map(([name, number]) => `${number} ${name}`)
    .join(', ') || 'none'

const listed = (blocks: readonly string[], ...remarks: (string | false)[]): string =>
  withRemarks(blocks.length > 0 ? blocks.join('\n') : 'Nothing found.', ...remarks)

/** What was found, and below it what may be missing from it. */
const withRemarks = (found: string, ...remarks: (string | false)[]): string =>
  [found, ...remarks.filter(remark => remark !== false)].join('\n')

function whole(memory: Memory, start: number): string {
  const { content, next_start, characters } = partFrom(memory.content, start)
  return withRemarks(
    `${headOf(memory)}\n${content}`,
    next_start !== undefined &&
      `There is more: ${characters} characters in all. Call get_memory again with start ${next_start}.`,
  )
}

/** A memory by a passage, which ends in “…” if the content goes on. */
export function brief(memory: FoundPassage): string {
  return `${headOf(memory)}\n    ${textOf(memory)}`
}

function textOf(memory: Pick<FoundPassage, 'content' | 'highlight'>): string {
  const { content, passage, characters } = passageOf(memory)
  return passage === undefined
    ? content.replaceAll(/\s+/g, ' ').trim()
    : `${passage} (${characters} characters)`
}

const headOf = (memory: Memory) => headingOf(memory, shortTags(memory.tags), shortText) + markOf(memory)

const markOf = ({ state, archived_reason }: Memory) =>
  state === 'archived' ? ` (${archived_reason === 'superseded' ? 'superseded' : 'archived'})` : ''

const toTurn = ({ memory, offset }: NearTurn) => `\n  ${offset < 0 ? 'before' : 'after'} it: ${brief(memory)}`

const arrow = ({ source_id, relationship_type, target_id, strength, reason, ...held }: GraphEdge) =>
  [
    `${source_id} ${relationship_type} ${target_id}`,
    ...(strength === null ? [] : [`(${strength})`]),
    ...(held.valid_from === null ? [] : [`from ${held.valid_from}`]),
    ...(held.valid_until === null ? [] : [`until ${held.valid_until}`]),
    ...(reason === null ? [] : [`because: ${shortText(reason)}`]),
  ].join(' ')
