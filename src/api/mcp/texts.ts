import type { GraphEdge } from '../../contract/graph.ts'
import type { Output } from '../../contract/index.ts'
import type { Memory } from '../../contract/memory.ts'
import type { ToolRoute } from './tools.ts'

/** In a list a memory is shown by its beginning; `get_memory` shows all of it. */
const SHOWN_CHARACTERS = 300

const BY_WORDS_ALONE = 'Searched by words alone: the embedding provider gives no vector.'
const BOUNDED = 'The search was bounded: something may be missing. A query of fewer words misses less.'

/** An answer in words, for hosts that show their model the text alone. */
export const texts: { [Name in ToolRoute]: (answer: Output<Name>) => string } = {
  composeContext: ({ text, left_out, truncated, degraded }) =>
    withRemarks(
      text,
      degraded && BY_WORDS_ALONE,
      truncated && BOUNDED,
      left_out > 0 && `${left_out} more did not fit: raise max_tokens, or narrow the question.`,
    ),
  createMemory: ({ id, duplicate_of, not_stored = [] }) => {
    if (duplicate_of === undefined) return `Stored ${id}.`
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
  getMemory: whole,
  searchMemories: ({ results, has_more, truncated, degraded }) =>
    listed(
      results.map(
        ({ memory, score, conflicts }) =>
          `${score.toFixed(2)} ${brief(memory)}${conflicts.map(id => `\n    conflicts with ${id}`).join('')}`,
      ),
      degraded && BY_WORDS_ALONE,
      truncated && BOUNDED,
      has_more && 'There is more: raise limit, or narrow the search.',
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
  restoreMemory: ({ id }) => `${id} is active.`,
  createConnection: ({ source_id, connection }) => `Connected: ${arrow({ source_id, ...connection })}`,
  deleteConnection: ({ deleted, source_id, target_id }) =>
    `Disconnected ${source_id} from ${target_id}: ${deleted} taken away.`,
  planMaintenance: ({ plan_id, changes, truncated }) =>
    listed(
      changes.map(({ memory_id, change, reason }) => `${change} ${memory_id}: ${reason}`),
      plan_id !== null && `Plan ${plan_id}: nothing has changed yet.`,
      truncated && 'There is more: apply this plan, then plan again.',
    ),
  applyMaintenance: ({ run_id, applied }) =>
    `Changed ${applied} memories. Undo the run ${run_id} within 7 days.`,
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
      conflicts.map(({ source, target }) => `${brief(source)}\n  contradicts\n${brief(target)}`),
      page.has_more && `There is more: continue with ${placeAfter(page)}.`,
    ),
  resolveConflict: ({ kept_id, archived_id }) =>
    `Kept ${kept_id}; archived ${archived_id}, restore_memory brings it back.`,
  getStats: ({ memories, connections, queue }) =>
    [
      `memories: ${memories.total} (${counted(memories.by_state)})`,
      `policies: ${counted(memories.by_policy)}`,
      `connections: ${connections.total} (${counted(connections.by_origin)})`,
      `types: ${counted(connections.by_type)}`,
      `without a vector yet: ${memories.embeddings_pending}`,
      `queue: ${counted({ waiting: queue.depth, failed: queue.failed })}`,
    ].join('\n'),
}

const placeAfter = ({ next_cursor, offset, limit }: Paged) =>
  next_cursor === null ? `offset ${offset + limit}` : `cursor ${next_cursor}`

type Paged = Pick<Output<'listConflicts'>, 'next_cursor' | 'offset' | 'limit'>

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

function whole(memory: Memory): string {
  return `${headOf(memory)}\n${memory.content}`
}

export function brief(memory: Memory): string {
  const flat = memory.content.replaceAll(/\s+/g, ' ').trim()
  const shown = Array.from(flat.slice(0, 2 * SHOWN_CHARACTERS))
    .slice(0, SHOWN_CHARACTERS)
    .join('')
  return `${headOf(memory)}\n    ${shown}${shown.length < flat.length ? '…' : ''}`
}

const headOf = ({ id, created_at, policy, tags, source, state }: Memory) =>
  [
    id,
    created_at.slice(0, 10),
    policy,
    ...tags.map(tag => `#${tag}`),
    ...(source === null ? [] : [`from ${source}`]),
    ...(state === 'archived' ? ['(archived)'] : []),
  ].join(' ')

const arrow = ({
  source_id,
  relationship_type,
  target_id,
  strength,
}: Pick<GraphEdge, 'source_id' | 'relationship_type' | 'target_id' | 'strength'>) =>
  `${source_id} ${relationship_type} ${target_id}${strength === null ? '' : ` (${strength})`}`
