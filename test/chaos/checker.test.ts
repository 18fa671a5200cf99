import { expect, test } from 'vitest'
import { auditLine } from '../../src/contract/audit.ts'
import { chain, EMPTY } from '../../src/platform/digest.ts'
import { expectationOf } from './expectation.ts'
import type { AuditRow, EdgeRow, Graph, MemoryRow } from './graph.ts'
import type { Line, Operation, Verdict } from './history.ts'
import * as rules from './rules.ts'
import { chaosVector, cosineOf } from './vector.ts'

/** The checker is worth what it notices: each fault it is there for, planted by hand. */

const tenant = 'a'
const history = (...operations: [Operation, Verdict, string[]?][]): Line[] =>
  operations.flatMap(([operation, verdict, ids = []], op) => [
    { at: 'begin', op, ...operation },
    { at: 'end', op, verdict, ids },
  ])
const create = (...contents: string[]): Operation => ({ kind: 'batch', tenant, contents })

const row = (id: string, content: string, fields: Partial<MemoryRow> = {}): MemoryRow => ({
  id,
  tenant,
  content,
  state: 'active',
  revision: 1,
  discovered: 1,
  createdAt: Number(id),
  vectors: { p: chaosVector(content, 8) },
  ...fields,
})
const graphOf = (memories: MemoryRow[], edges: EdgeRow[] = [], left: string[] = []): Graph => ({
  memories,
  edges,
  jobs: [],
  keys: [],
  audit: [],
  crossings: [],
  remains: async ids => left.filter(id => ids.includes(id)).map(what => ({ what })),
  [Symbol.asyncDispose]: async () => {},
})
const writes = (lines: Line[], ...memories: MemoryRow[]) =>
  rules.writes(expectationOf(lines), graphOf(memories))

test('what was acknowledged must be there, with the content and in the state acknowledged', () => {
  const made = [create('x'), 'acked', ['1']] as [Operation, Verdict, string[]]
  expect(writes(history(made), row('1', 'x'))).toEqual([])
  expect(writes(history(made))).toHaveLength(1)
  const patched = history(made, [{ kind: 'patch', tenant, id: '1', content: 'y' }, 'acked'])
  expect(writes(patched, row('1', 'y'))).toEqual([])
  expect(writes(patched, row('1', 'x'))).toHaveLength(1)
  const archived = history(made, [{ kind: 'archive', tenant, id: '1' }, 'acked'])
  expect(writes(archived, row('1', 'x'))).toHaveLength(1)
  const removed = history(made, [{ kind: 'remove', tenant, id: '1' }, 'acked'])
  expect(writes(removed)).toEqual([])
  expect(writes(removed, row('1', 'x'))).toHaveLength(1)
})

test('what went unanswered may be there, whole and once', () => {
  const unanswered = history([create('x', 'y'), 'unknown'])
  expect(writes(unanswered)).toEqual([])
  expect(writes(unanswered, row('1', 'x'), row('2', 'y'))).toEqual([])
  expect(writes(unanswered, row('1', 'x'))).toHaveLength(1)
  expect(writes(unanswered, row('1', 'x'), row('2', 'y'), row('3', 'y'))).toHaveLength(1)
})

test('what was refused, and what nobody sent, must not be there', () => {
  expect(writes(history([create('x'), 'refused']), row('1', 'x'))).toHaveLength(1)
  expect(writes(history([create('x'), 'acked', ['1']]), row('1', 'x'), row('2', 'x'))).toHaveLength(1)
  expect(writes(history(), row('1', 'x')).length).toBeGreaterThan(0)
})

test('work that is left, a missing mark and the vector of another content are noticed', () => {
  const job = { id: 'j', tenant, memory: null, state: 'failed', error: null }
  expect(rules.queue({ ...graphOf([row('1', 'x', { discovered: null })]), jobs: [job] })).toHaveLength(2)
  const stale = row('1', 'x', { vectors: { p: chaosVector('y', 8) } })
  expect(rules.vectors(graphOf([stale, row('2', 'x', { vectors: {} })]), { property: 'p' })).toHaveLength(2)
})

test('a connection that is missing, not warranted, reversed, or of another strength is noticed', () => {
  const [older, newer] = [row('1', 'theme one'), row('2', 'theme two')]
  const cosine = cosineOf(chaosVector(older.content, 8), chaosVector(newer.content, 8))
  const edge = (source: string, target: string, strength = cosine) => ({
    ...{ source, target, type: 'RELATED_TO', origin: 'discovered', strength },
  })
  const scan = (threshold: number, ...edges: EdgeRow[]) => {
    const all = new Set([older.content, newer.content])
    return rules.discovery(graphOf([older, newer], edges), all, threshold, 8).faults
  }
  expect(scan(cosine - 0.01, edge('2', '1'))).toEqual([])
  expect(scan(cosine + 0.01)).toEqual([])
  expect(scan(cosine - 0.01)).toHaveLength(1)
  expect(scan(cosine + 0.01, edge('2', '1'))).toHaveLength(1)
  expect(scan(cosine - 0.01, edge('1', '2'))).toHaveLength(2)
  expect(scan(cosine - 0.01, edge('2', '1', 0.1))).toHaveLength(1)
})

test('an effect that is there twice or lost, and what is left of the removed, are noticed', async () => {
  const made = [create('x', 'y'), 'acked', ['1', '2']] as [Operation, Verdict, string[]]
  const both = history(made, [{ kind: 'connect', tenant, source: '1', target: '2' }, 'acked'])
  const edge = { source: '1', target: '2', type: 'SUPPORTS', origin: 'asserted', strength: null }
  expect(rules.effects(expectationOf(both), graphOf([], [edge]))).toEqual([])
  expect(rules.effects(expectationOf(both), graphOf([], [edge, edge]))).toHaveLength(1)
  expect(rules.effects(expectationOf(both), graphOf([]))).toHaveLength(1)
  const removed = history(made, [{ kind: 'remove', tenant, id: '1' }, 'acked'])
  expect(await rules.remains(expectationOf(removed), graphOf([], [], ['1', '2']))).toHaveLength(1)
})

test('a removal or a key that the audit log names twice, not at all or for nothing, and a broken log, are noticed', () => {
  const removed = history(
    [create('x', 'y'), 'acked', ['1', '2']],
    [{ kind: 'remove', tenant, id: '1' }, 'acked'],
    [{ kind: 'remove', tenant, id: '2' }, 'unknown'],
    [{ kind: 'key', tenant }, 'acked', ['k']],
  )
  const log = (...targets: [string, string][]) => {
    let previous = EMPTY
    return targets.map(([operation, target], at): AuditRow => {
      const who = { key_id: null, key_name: null, address: null, request_id: null }
      const entry = { number: at + 1, id: `e${at}`, at: 'now', operation, target, outcome: 'ok', ...who }
      const digest = chain(previous, auditLine(entry))
      const row = { ...entry, tenant, previous, digest }
      previous = digest
      return row
    })
  }
  const faults = (audit: AuditRow[], keys = ['k']) =>
    rules.audit(expectationOf(removed), {
      ...graphOf([row('2', 'y')]),
      keys: keys.map(id => ({ id, tenant })),
      audit,
    })
  const whole: [string, string][] = [
    ['deleteMemory', '1'],
    ['createKey', 'k'],
  ]
  expect(faults(log(...whole))).toEqual([])
  expect(faults(log(...whole), [])).toHaveLength(2)
  expect(faults(log(['deleteMemory', '1']))).toHaveLength(1)
  expect(faults(log(...whole, ['deleteMemory', '1']))).toHaveLength(1)
  expect(faults(log(...whole, ['deleteMemory', '2']))).toHaveLength(1)
  expect(faults(log(...whole, ['createKey', 'k']).slice(1)).length).toBeGreaterThan(1)
  expect(faults(log(...whole).map(entry => ({ ...entry, address: '192.0.2.1' })))).toHaveLength(2)
})

test('a job claimed twice, a late write that was taken, and a mixed search are noticed', () => {
  const claim = (worker: string): Line => ({ at: 'claim', tenant, worker, jobs: ['j'] })
  const late: Line = { at: 'late', tenant, worker: 'w', write: 'complete', refused: false }
  expect(rules.fences([claim('v'), claim('w'), late])).toHaveLength(2)
  const score = Math.max(0, cosineOf(chaosVector('q', 8), chaosVector('x', 8)))
  const hit = { content: 'x', score, model: 'one', dimensions: 8 }
  const search = (...hits: (typeof hit)[]): Line => ({ at: 'search', tenant, texts: ['q'], hits })
  expect(rules.searches([search(hit)])).toEqual([])
  expect(rules.searches([search(hit, { ...hit, model: 'two' }), search()])).toHaveLength(2)
  expect(rules.searches([search({ ...hit, score: score + 0.1 })])).toHaveLength(1)
})
