import { v5 as idFrom } from 'uuid'
import { relationshipType } from '../../src/contract/connections.ts'
import { type ImportedEntry, type ImportSource, leaveOut, lose, SourceError } from '../reading/found.ts'
import { clean, metadataOf } from './metadata.ts'

/** The names of all sources lie in this space of names, so that a repeated run finds its memories again. */
const NAMES = '0b9f6d5e-5f0d-5c7e-9c39-6f3b1c1f4a77'

type Options = { tenant: string; source: string; policy: string }

/** Takes a line, or returns what is wrong with it. */
type Add = (line: { section: string }) => string | undefined

/**
 * Adds what was found to a bundle. The id of a memory follows from tenant, source and its key there. An entry that no
 * bundle may hold is left out with its reason. @throws SourceError if nothing is left to import
 */
export function addFound(found: ImportSource, options: Options, add: Add): void {
  const added = addMemories(found, options, add)
  if (added.size === 0) throw new SourceError(`Nothing can be imported. Expected: ${found.expected}.`)
  addConnections(found, added, add)
}

type Added = Map<string, { id: string; place: string }>

/** Those that are in the bundle, by their keys in the source. */
function addMemories(found: ImportSource, options: Options, add: Add): Added {
  const added: Added = new Map()
  for (const memory of found.memories) {
    const { key, place } = memory
    const same = added.get(key)
    const id = idFrom(JSON.stringify([options.tenant, options.source, key]), NAMES)
    const fault = same
      ? `has the same name or id as ${same.place}: “${key.slice(0, 100)}”`
      : add(memoryOf(found, memory, id, options.policy))
    if (fault === undefined) added.set(key, { id, place })
    else leaveOut(found, place, fault)
  }
  return added
}

function addConnections(found: ImportSource, added: Added, add: Add) {
  const drawn = new Set<string>()
  for (const connection of found.connections) {
    const { source, target, place, name, createdAt, strength } = connection
    const [source_id, target_id] = [added.get(source)?.id, added.get(target)?.id]
    if (!source_id || !target_id) {
      const missing = (source_id ? target : source).slice(0, 100)
      leaveOut(found, place, `relation “${name.slice(0, 100)}” with “${missing}”, which is not imported`)
      continue
    }
    const type = typeOf(name)
    if (type === undefined) lose(found, `the name of relation “${name.slice(0, 100)}”: it becomes related_to`)
    const relationship_type = type ?? 'related_to'
    const key = JSON.stringify([source_id, target_id, relationship_type])
    const line = {
      section: 'connections',
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
      const fault = add(line)
      if (fault !== undefined) leaveOut(found, place, fault)
    }
    drawn.add(key)
  }
}

function memoryOf(found: ImportSource, memory: ImportedEntry, id: string, policy: string) {
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
    maintained_at: null,
    importance_since: null,
  }
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
