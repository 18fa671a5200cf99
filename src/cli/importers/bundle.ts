import { v5 as idFrom } from 'uuid'
import { sections } from '../../contract/bundle.ts'
import { readLine } from '../../contract/bundle-reading.ts'
import { relationshipType } from '../../contract/connections.ts'
import { sentence } from '../../contract/faults.ts'
import { chain, EMPTY } from '../../platform/digest.ts'
import { type ImportedEntry, type ImportSource, leaveOut, lose, SourceError } from './found.ts'
import { clean, metadataOf } from './metadata.ts'

/** The names of all sources lie in this space of names, so that a repeated run finds its memories again. */
const NAMES = '0b9f6d5e-5f0d-5c7e-9c39-6f3b1c1f4a77'

type Options = { tenant: string; source: string; policy: string }

/**
 * What was found, as the lines of a bundle. The id of a memory follows from tenant, source and its key there. An entry
 * that no bundle may hold is left out with its reason. @throws SourceError if nothing is left to import
 */
export function toBundle(found: ImportSource, options: Options): string[] {
  const bundle = startBundle()
  const ids = addMemories(found, bundle, options)
  if (ids.size === 0) throw new SourceError(`Nothing can be imported. Expected: ${found.expected}.`)
  addConnections(found, bundle, ids)
  return bundle.lines()
}

/** A bundle of nothing, which tells on a trial which tenant a key is of. */
export const firstLine = (): string =>
  JSON.stringify({ section: 'bundle', version: 1, made_at: new Date().toISOString(), vectors: null })

type Bundle = ReturnType<typeof startBundle>

function startBundle() {
  const sums = Object.fromEntries(sections.map(name => [name, { count: 0, sha256: EMPTY }]))
  const lines = [firstLine()]
  return {
    /** Adds a line, or returns what is wrong with it. */
    add(line: { section: 'memories' | 'connections' }): string | undefined {
      const text = JSON.stringify(line)
      const read = readLine(text)
      if ('fault' in read) return sentence(read.fault.path, read.fault.rule).replace(/\.$/, '')
      const sum = sums[line.section] ?? { count: 0, sha256: EMPTY }
      sums[line.section] = { count: sum.count + 1, sha256: chain(sum.sha256, text) }
      lines.push(text)
      return undefined
    },
    lines: () => [...lines, JSON.stringify({ section: 'manifest', sections: sums })],
  }
}

/** The ids of those that are in the bundle, by their keys in the source. */
function addMemories(found: ImportSource, bundle: Bundle, options: Options): Map<string, string> {
  const ids = new Map<string, string>()
  const places = new Map<string, string>()
  for (const memory of found.memories) {
    const { key, place } = memory
    if (ids.has(key)) {
      leaveOut(found, place, `has the same name or id as ${places.get(key)}: “${key.slice(0, 100)}”`)
      continue
    }
    const id = idFrom(JSON.stringify([options.tenant, options.source, key]), NAMES)
    const fault = bundle.add(memoryOf(found, memory, id, options.policy))
    if (fault !== undefined) leaveOut(found, place, fault)
    else {
      ids.set(key, id)
      places.set(key, place)
    }
  }
  return ids
}

function addConnections(found: ImportSource, bundle: Bundle, ids: ReadonlyMap<string, string>) {
  const drawn = new Set<string>()
  for (const connection of found.connections) {
    const { source, target, place, name, createdAt, strength } = connection
    const [source_id, target_id] = [ids.get(source), ids.get(target)]
    if (!source_id || !target_id) {
      const missing = source_id ? target : source
      leaveOut(
        found,
        place,
        `relation “${name.slice(0, 100)}” with “${missing.slice(0, 100)}”, which is not imported`,
      )
      continue
    }
    const type = typeOf(name)
    if (type === undefined) lose(found, `the name of relation “${name.slice(0, 100)}”: it becomes related_to`)
    const relationship_type = type ?? 'related_to'
    const key = JSON.stringify([source_id, target_id, relationship_type])
    const line = {
      section: 'connections' as const,
      source_id,
      target_id,
      relationship_type,
      strength: strength ?? null,
      created_at: createdAt,
      origin: 'asserted',
      model: null,
      threshold: null,
      reason: lineOf(found, 'a reason', connection.reason, 1_000),
      ...validityOf(found, connection),
    }
    if (drawn.has(key)) lose(found, 'a second relation of one type between the same two')
    else if (source_id === target_id) lose(found, 'a relation of a thing with itself')
    else {
      const fault = bundle.add(line)
      if (fault !== undefined) leaveOut(found, place, fault)
    }
    drawn.add(key)
  }
}

function memoryOf(
  found: ImportSource,
  memory: ImportedEntry,
  id: string,
  policy: string,
): { section: 'memories' } {
  const archivedAt = memory.archivedAt ?? null
  return {
    section: 'memories',
    id,
    content: contentOf(found, memory.content),
    policy,
    ttl_seconds: 0,
    tags: tagsOf(found, memory.tags),
    importance: 0.5,
    source: lineOf(found, 'a source', memory.source, 2_048),
    session_id: lineOf(found, 'the name of a session', memory.sessionId, 200),
    metadata: metadataOf(found, memory.metadata ?? {}),
    ...validityOf(found, memory),
    state: archivedAt === null ? 'active' : 'archived',
    health: 100,
    recall_count: 0,
    last_recalled_at: null,
    recalls: [],
    expires_at: null,
    archived_at: archivedAt,
    archived_reason: archivedAt === null ? null : 'superseded',
    created_at: memory.createdAt,
    updated_at: memory.updatedAt ?? memory.createdAt,
    version: 1,
    author: null,
    reason: null,
    maintained_at: null,
    importance_since: null,
  } as { section: 'memories' }
}

function contentOf(found: ImportSource, content: string): string {
  const kept = clean(content)
  if (kept !== content) lose(found, 'a NUL or half a character in a text')
  return kept
}

function tagsOf(found: ImportSource, tags: readonly string[]): string[] {
  const fit = [...new Set(tags.map(tag => clean(tag).trim()))].filter(
    tag => tag !== '' && Array.from(tag).length <= 100,
  )
  lose(
    found,
    'a tag that is longer than 100 characters, or beyond the 50th',
    new Set(tags).size - Math.min(fit.length, 50),
  )
  return fit.slice(0, 50)
}

function lineOf(
  found: ImportSource,
  what: string,
  value: string | null | undefined,
  most: number,
): string | null {
  const text = clean(value ?? '').trim()
  const fits = Array.from(text).length <= most
  if (!fits) lose(found, `${what} that is longer than ${most} characters`)
  return fits ? text || null : null
}

function validityOf(
  found: ImportSource,
  { validFrom, validUntil }: Pick<ImportedEntry, 'validFrom' | 'validUntil'>,
) {
  const [valid_from, valid_until] = [validFrom ?? null, validUntil ?? null]
  if (valid_from && valid_until && valid_until <= valid_from) {
    lose(found, 'a time of validity that ends before it begins')
    return { valid_from: null, valid_until }
  }
  return { valid_from, valid_until }
}

/** The type of that name; undefined where there is none. */
const typeOf = (name: string) =>
  relationshipType.safeParse(
    name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_'),
  ).data
