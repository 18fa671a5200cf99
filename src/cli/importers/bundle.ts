import { v5 as idFrom } from 'uuid'
import { readLine, sections } from '../../contract/bundle.ts'
import { relationshipType } from '../../contract/connections.ts'
import { chain, EMPTY } from '../../platform/digest.ts'
import { type FoundMemory, type ImportSource, lose } from './found.ts'

/** The names of all sources lie in this space of names, so that a repeated run finds its memories again. */
const NAMES = '0b9f6d5e-5f0d-5c7e-9c39-6f3b1c1f4a77'

type Options = { tenant: string; source: string; policy: string }

/**
 * What was found, as the lines of a bundle. The id of a memory follows from tenant, source and its key there. What no
 * bundle may hold is left out and reported among the losses.
 */
export function toBundle(found: ImportSource, options: Options): string[] {
  const sums = Object.fromEntries(sections.map(name => [name, { count: 0, sha256: EMPTY }]))
  const lines = [
    JSON.stringify({ section: 'bundle', version: 1, made_at: new Date().toISOString(), vectors: null }),
  ]
  const add = (line: { section: 'memories' | 'connections' }, loss: string) => {
    const text = JSON.stringify(line)
    if ('fault' in readLine(text)) {
      lose(found, loss)
      return false
    }
    const sum = sums[line.section] ?? { count: 0, sha256: EMPTY }
    sums[line.section] = { count: sum.count + 1, sha256: chain(sum.sha256, text) }
    lines.push(text)
    return true
  }
  const ids = new Map<string, string>()
  for (const memory of found.memories) {
    const id = idFrom(JSON.stringify([options.tenant, options.source, memory.key]), NAMES)
    if (ids.has(memory.key)) lose(found, 'a name that stands there twice: the first is kept')
    else if (
      add(memoryOf(found, memory, id, options.policy), 'a text that is empty or longer than 100,000 bytes')
    )
      ids.set(memory.key, id)
  }
  const drawn = new Set<string>()
  for (const { source, target, name, createdAt, strength } of found.connections) {
    const [source_id, target_id] = [ids.get(source), ids.get(target)]
    if (!source_id || !target_id) {
      lose(found, `relation “${name}” to what is not there`)
      continue
    }
    const type = typeOf(name)
    if (type === undefined) lose(found, `the name of relation “${name}”: it becomes related_to`)
    const relationship_type = type ?? 'related_to'
    const key = JSON.stringify([source_id, target_id, relationship_type])
    if (drawn.has(key)) lose(found, 'a second relation of one type between the same two')
    else
      add(
        {
          section: 'connections',
          source_id,
          target_id,
          relationship_type,
          strength: strength ?? null,
          created_at: inUtc(createdAt),
          origin: 'asserted',
          model: null,
          threshold: null,
        } as { section: 'connections' },
        'a relation of a thing with itself',
      )
    drawn.add(key)
  }
  return [...lines, JSON.stringify({ section: 'manifest', sections: sums })]
}

function memoryOf(
  found: ImportSource,
  memory: FoundMemory,
  id: string,
  policy: string,
): { section: 'memories' } {
  const createdAt = inUtc(memory.createdAt)
  const archivedAt = memory.archivedAt === undefined ? null : inUtc(memory.archivedAt)
  return {
    section: 'memories',
    id,
    content: clean(memory.content),
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
    created_at: createdAt,
    updated_at: inUtc(memory.updatedAt ?? memory.createdAt),
    version: 1,
    maintained_at: null,
    importance_since: null,
  } as { section: 'memories' }
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

const MOST_ENTRIES = 32
const LONGEST_VALUE = 500

/** Entries that a memory can have; a longer text is lost rather than cut. */
function metadataOf(found: ImportSource, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(given).flatMap(([name, value]) => {
    if (value === null || value === undefined || value === '') return []
    const key = name.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, 64)
    const kept = typeof value === 'string' ? clean(value) : value
    if (
      ['string', 'number', 'boolean'].includes(typeof kept) &&
      Array.from(String(kept)).length <= LONGEST_VALUE
    )
      return [[key, kept] as const]
    lose(found, `metadata “${name}”, which is no plain value or longer than ${LONGEST_VALUE} characters`)
    return []
  })
  lose(found, `metadata beyond the ${MOST_ENTRIES}th entry`, entries.length - MOST_ENTRIES)
  return Object.fromEntries(entries.slice(0, MOST_ENTRIES))
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

function validityOf(found: ImportSource, { validFrom, validUntil }: FoundMemory) {
  const [valid_from, valid_until] = [validFrom, validUntil].map(time => (time ? inUtc(time) : null))
  if (valid_from && valid_until && valid_until <= valid_from) {
    lose(found, 'a time of validity that ends before it begins')
    return { valid_from: null, valid_until }
  }
  return { valid_from, valid_until }
}

const clean = (text: string) => text.toWellFormed().replaceAll('\0', '')

/** The type of that name; undefined where there is none. */
const typeOf = (name: string) =>
  relationshipType.safeParse(
    name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_'),
  ).data

/** Neo4j writes the name of the zone behind the time. */
const inUtc = (time: string) => new Date(time.replace(/\[[^[\]]*\]$/, '')).toISOString()
