import { auditLine } from '../../src/contract/audit.ts'
import { chain, EMPTY } from '../../src/platform/digest.ts'
import { cosine } from '../support/vectors.ts'
import type { Expectation } from './expectation.ts'
import type { AuditRow, Graph, MemoryRow } from './graph.ts'
import type { Line } from './history.ts'
import { chaosVector, cosineOf } from './vector.ts'

/** What the graph must be like after a run. Each answers the faults it sees; none when all is well. */

/** Acknowledged is there, refused is not, unanswered is there whole or not at all, and nothing is there that nobody sent. */
export function writes({ memories, unsure, sent }: Expectation, graph: Graph): string[] {
  const faults: string[] = []
  const rows = new Map(graph.memories.map(row => [row.id, row]))
  for (const [id, { contents, states }] of memories) {
    const row = rows.get(id)
    if (!row && !states.has('gone')) faults.push(`acknowledged and lost: ${id}`)
    if (row && !states.has(row.state)) faults.push(`${id} is ${row.state}, not ${[...states]}`)
    if (row && !contents.has(row.content)) faults.push(`${id} has another content than the one acknowledged`)
  }
  const unknown = graph.memories.filter(({ id }) => !memories.has(id))
  const copies = Map.groupBy(unknown, ({ content }) => content)
  const allowed = new Set(unsure.filter(({ refused }) => !refused).flatMap(({ contents }) => contents))
  for (const [content, found] of copies) {
    if (!allowed.has(content)) faults.push(`nobody was to have stored ${found[0]?.id}: ${content}`)
    if (found.length > 1) faults.push(`${found.length} times for one request: ${content}`)
  }
  for (const { contents } of unsure) {
    const there = contents.filter(content => copies.has(content)).length
    if (there !== 0 && there !== contents.length) faults.push(`${there} of a batch of ${contents.length}`)
  }
  for (const { id, content, tenant } of graph.memories)
    if (sent.get(content) !== tenant) faults.push(`${id} is in a tenant that did not send it`)
  return faults
}

/** How many of the writes without an answer had happened. */
export const unansweredThere = ({ unsure, memories }: Expectation, graph: Graph): number => {
  const unknown = new Set(graph.memories.filter(({ id }) => !memories.has(id)).map(({ content }) => content))
  return unsure.filter(({ contents }) => contents.some(content => unknown.has(content))).length
}

/** All queued work is done, none was given up, and every active memory carries the mark of its discovery. */
export function queue(graph: Graph): string[] {
  return [
    ...graph.jobs.map(({ id, state, error }) => `left in the queue as ${state}: ${id} ${error ?? ''}`),
    ...graph.memories
      .filter(({ state, discovered, revision }) => state === 'active' && discovered !== revision)
      .map(({ id }) => `without its discovery: ${id}`),
  ]
}

/** Vectors are those of the contents that the memories have now, each in the length of its space. */
export function vectors(graph: Graph, active: { property: string }): string[] {
  return graph.memories
    .filter(({ state }) => state === 'active')
    .flatMap(({ id, content, vectors: stored }) => [
      ...(stored[active.property] ? [] : [`without a vector: ${id}`]),
      ...Object.values(stored)
        .filter(vector => cosineOf(vector, chaosVector(content, vector.length)) < 1 - 1e-6)
        .map(() => `the vector of another content: ${id}`),
    ])
}

const TOLERANCE = 4e-6

/** An exact scan over all pairs of these contents: at or above the threshold there is one connection, from newer to older, below none. */
export function discovery(graph: Graph, scanned: ReadonlySet<string>, threshold: number, dimensions: number) {
  const faults: string[] = []
  const edges = new Map(
    graph.edges
      .filter(({ type, origin }) => type === 'RELATED_TO' && origin === 'discovered')
      .map(edge => [`${edge.source}>${edge.target}`, edge]),
  )
  let pairs = 0
  let near = 0
  const active = graph.memories
    .filter(({ state, content }) => state === 'active' && scanned.has(content))
    .map(row => ({ ...row, vector: Float32Array.from(chaosVector(row.content, dimensions)) }))
    .sort((one, other) => (isNewer(one, other) ? 1 : -1))
  for (const [at, newer] of active.entries())
    for (let before = 0; before < at; before++) {
      const older = active[before] as (typeof active)[number]
      if (older.tenant !== newer.tenant) continue
      pairs++
      const exact = cosine(newer.vector, older.vector)
      const edge = edges.get(`${newer.id}>${older.id}`)
      if (exact >= threshold) near++
      if (exact >= threshold + TOLERANCE && !edge)
        faults.push(`not found: ${newer.id} > ${older.id} ${exact}`)
      if (exact < threshold - TOLERANCE && edge) faults.push(`too far: ${newer.id} > ${older.id} ${exact}`)
      if (edge && Math.abs((edge.strength as number) - exact) > 1e-5)
        faults.push(`${newer.id} > ${older.id} has the strength ${edge.strength}, not ${exact}`)
      if (edges.has(`${older.id}>${newer.id}`)) faults.push(`from older to newer: ${older.id} > ${newer.id}`)
    }
  return { faults, pairs, near }
}

const isNewer = (one: MemoryRow, other: MemoryRow) =>
  one.createdAt > other.createdAt || (one.createdAt === other.createdAt && one.id > other.id)

/** Every effect is there once: no two connections of a type from one memory to another, each asserted one present. */
export function effects({ memories, connected }: Expectation, graph: Graph): string[] {
  const times = Map.groupBy(graph.edges, ({ source, target, type }) => `${type} ${source}>${target}`)
  const stays = (id: string) => memories.has(id) && !memories.get(id)?.states.has('gone')
  return [
    ...[...times].filter(([, found]) => found.length > 1).map(([key, found]) => `${found.length} of ${key}`),
    ...connected
      .filter(({ source, target }) => stays(source) && stays(target))
      .filter(({ source, target }) => !times.has(`SUPPORTS ${source}>${target}`))
      .map(({ source, target }) => `connected and lost: ${source}>${target}`),
  ]
}

/** No two tenants touch, and nothing is left of what was removed. */
export async function remains({ memories }: Expectation, graph: Graph): Promise<string[]> {
  const gone = [...memories]
    .filter(([, { states }]) => states.size === 1 && states.has('gone'))
    .map(([id]) => id)
  const left = await graph.remains(gone)
  return [...graph.crossings, ...left].map(({ what }) => `left or crossing: ${what}`)
}

/**
 * The audit log names each removal and each new key once, and none that did not happen; its entries are numbered without
 * gaps, and each has the digest of the one before.
 */
export function audit({ memories, keys }: Expectation, graph: Graph): string[] {
  const recorded = (operation: string) =>
    graph.audit
      .filter(entry => entry.operation === operation && entry.outcome === 'ok')
      .map(({ target }) => target ?? '')
  const there = new Set(graph.memories.map(({ id }) => id))
  const gone = [...memories].filter(([id, { states }]) => states.has('gone') && !there.has(id))
  return [
    ...differences('removal', recorded('deleteMemory'), new Set(gone.map(([id]) => id))),
    ...differences('key', recorded('createKey'), new Set(graph.keys.map(({ id }) => id))),
    ...keys
      .filter(id => !graph.keys.some(key => key.id === id))
      .map(id => `acknowledged and lost: the key ${id}`),
    ...[...Map.groupBy(graph.audit, ({ tenant }) => tenant).values()].flatMap(chainFaults),
  ]
}

function differences(what: string, recorded: readonly string[], happened: ReadonlySet<string>): string[] {
  const times = Map.groupBy(recorded, target => target)
  return [
    ...[...times].filter(([, { length }]) => length > 1).map(([id]) => `recorded twice: ${what} ${id}`),
    ...[...times.keys()].filter(id => !happened.has(id)).map(id => `recorded, did not happen: ${what} ${id}`),
    ...[...happened].filter(id => !times.has(id)).map(id => `not recorded: ${what} ${id}`),
  ]
}

function chainFaults(entries: readonly AuditRow[]): string[] {
  return entries.flatMap((entry, at) => {
    const before = entries[at - 1]?.digest ?? EMPTY
    const isWhole = entry.number === at + 1 && entry.previous === before
    return isWhole && chain(before, auditLine(entry)) === entry.digest
      ? []
      : [`the audit log of ${entry.tenant} is broken at ${entry.number}`]
  })
}

/** No job was given to two workers, and nothing that a late worker wrote was taken. */
export function fences(lines: readonly Line[]): string[] {
  const claims = lines.filter(line => line.at === 'claim')
  const owners = new Map<string, string>()
  const twice = claims.flatMap(({ jobs, worker }) =>
    jobs.filter(job => owners.has(job) || !owners.set(job, worker)).map(job => `claimed twice: ${job}`),
  )
  const taken = lines
    .filter(line => line.at === 'late')
    .filter(({ refused }) => !refused)
    .map(({ worker, write }) => `late and taken: ${write} of ${worker}`)
  return [...twice, ...taken]
}

/** Every search was answered, by one model, with the distances of that model's own space from the mean of what it searched for. */
export function searches(lines: readonly Line[]): string[] {
  return lines
    .filter(line => line.at === 'search')
    .flatMap(({ texts, hits, reason }) => {
      if (!hits || hits.length === 0) return [`a search failed: ${reason ?? 'it found nothing'}`]
      if (new Set(hits.map(({ model }) => model)).size > 1) return ['one answer holds two models']
      return hits
        .filter(({ content, score, dimensions }) => {
          const cosine = cosineOf(meanVector(texts, dimensions), chaosVector(content, dimensions))
          return !(Math.abs(Math.max(0, cosine) - score) <= 1e-4)
        })
        .map(({ model }) => `a distance that is not one of ${model}`)
    })
}

function meanVector(texts: readonly string[], dimensions: number): number[] {
  const vectors = texts.map(text => chaosVector(text, dimensions))
  return Array.from({ length: dimensions }, (_, at) =>
    vectors.reduce((sum, vector) => sum + (vector[at] as number), 0),
  )
}
