import { type Client, ProblemError } from '../../src/client.ts'
import type { Memory } from '../../src/contract/memory.ts'
import { type RetryOptions, withRetry } from '../../src/retry.ts'
import { digest } from '../reading/values.ts'
import type { Difference, Known } from './compare.ts'
import type { SourceFile } from './files.ts'
import { fileDigest, originOf, PRUNED, prunedMetadata } from './marks.ts'
import type { TextSection } from './sections.ts'

export type LoadOptions = {
  policy: string
  ttlSeconds: number
  /** In addition to those of the path. */
  tags: readonly string[]
  /** The folders whose files these are. */
  roots: readonly string[]
  /** Archives the memories of sections and files that are gone. */
  prune: boolean
  dryRun: boolean
  onProgress?: (totals: LoadTotals) => void
} & RetryOptions

/** What a run did, or with `dryRun` would do. */
export type LoadTotals = {
  files: number
  created: number
  updated: number
  unchanged: number
  archived: number
  /** Gone from the files, and left as they are. */
  left: number
  /** Changed by someone else while they were to be written. */
  conflicts: number
  unreadable: { file: string; reason: string }[]
}

export type LoadRun = { client: Client; options: LoadOptions; totals: LoadTotals }

const BATCH = 100

/**
 * Makes memories: one request for a file, several in sequence for a long one, each all or nothing. The key says what is
 * made and what was there. So a run that was killed while its request was in progress is followed by one that asks the
 * same and is answered with the memories of the first; and what was changed or removed since is another key.
 */
export async function create(
  run: LoadRun,
  file: SourceFile,
  sections: readonly TextSection[],
  known: readonly Known[],
) {
  const there = known.map(({ id, version }) => `${id}@${version}`)
  for (let from = 0; from < sections.length; from += BATCH) {
    const part = sections.slice(from, from + BATCH)
    if (!run.options.dryRun) {
      const memories = part.map(section => memoryOf(run.options, file, section))
      const state = [fileDigest(file.identity), ...there.toSorted()]
      const made = await createOnce(run, memories, state)
      there.push(...made.map(({ id, version }) => `${id}@${version}`))
    }
    run.totals.created += part.length
    run.options.onProgress?.(run.totals)
  }
}

const memoryOf = ({ policy, ttlSeconds, tags }: LoadOptions, file: SourceFile, section: TextSection) => ({
  content: section.content,
  policy,
  ttl_seconds: ttlSeconds,
  tags: [...new Set([...tags, ...file.tags])],
  ...originOf(file, section),
})

/** A stored answer whose memories are removed or over their time counts for nothing: they are made again. */
async function createOnce(
  run: LoadRun,
  memories: ReturnType<typeof memoryOf>[],
  state: readonly string[],
  repetition = 0,
): Promise<Memory[]> {
  const headers = { 'Idempotency-Key': `ingest-${digest(JSON.stringify([state, memories, repetition]))}` }
  const answer = await withRetry(run.options, signal =>
    run.client.createMemories({ memories }, { signal, headers }),
  ).catch((error: unknown) => {
    if (codeOf(error) === 'idempotency_answer_gone') return undefined
    throw error
  })
  const living = answer?.memories.every(
    ({ expires_at }) => expires_at === null || Date.parse(expires_at) > Date.now(),
  )
  return answer && living ? answer.memories : createOnce(run, memories, state, repetition + 1)
}

/** Gives memories new content, unless someone else has changed them since they were looked at. */
export async function update(run: LoadRun, file: SourceFile, changes: Difference['updated']) {
  for (const { known, section } of changes) {
    const { content, tags, metadata } = memoryOf(run.options, file, section)
    const fields = { content, tags, metadata: { ...known.metadata, ...metadata } }
    if (run.options.dryRun || (await change(run, known, fields))) run.totals.updated += 1
    else run.totals.conflicts += 1
    run.options.onProgress?.(run.totals)
  }
}

/**
 * Archives what is gone, where that is wanted. Its mark says so first: if the section comes back later it is made
 * again, whereas a memory that was archived by someone else stays archived.
 */
export async function retire(run: LoadRun, gone: readonly Known[]) {
  const { options, totals } = run
  if (!options.prune) {
    totals.left += gone.length
    return
  }
  for (const known of gone) {
    if (options.dryRun || (await archive(run, known))) totals.archived += 1
    else totals.conflicts += 1
    options.onProgress?.(totals)
  }
}

async function archive(run: LoadRun, known: Known): Promise<boolean> {
  const marked = known.section === PRUNED || (await change(run, known, { metadata: prunedMetadata(known) }))
  if (marked) await withRetry(run.options, signal => run.client.deleteMemory({ id: known.id }, { signal }))
  return marked
}

/** Whether a memory is now as it should be; false where someone else was faster. */
async function change(
  { client, options }: LoadRun,
  { id, version }: Known,
  fields: { content?: string; tags?: string[]; metadata: Memory['metadata'] },
): Promise<boolean> {
  const headers = { 'If-Match': `"${version}"` }
  try {
    await withRetry(options, signal => client.updateMemory({ id, ...fields }, { signal, headers }))
    return true
  } catch (error) {
    if (['memory_not_found', 'memory_archived'].includes(codeOf(error) ?? '')) return false
    if (codeOf(error) !== 'version_mismatch') throw error
    // An earlier try may have made the change, and its answer was lost.
    return isChanged(client, id, fields.metadata)
  }
}

async function isChanged(client: Client, id: string, metadata: Memory['metadata']): Promise<boolean> {
  const memory = await client.getMemory({ id, record_recall: false })
  return Object.entries(metadata).every(([name, value]) => memory.metadata[name] === value)
}

const codeOf = (error: unknown) => (error instanceof ProblemError ? error.problem?.code : undefined)
