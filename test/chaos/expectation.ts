import type { Line, Operation, Verdict } from './history.ts'

type State = 'active' | 'archived' | 'gone'

/** What may be true of a memory whose id is known: one thing, or several after a change that went unanswered. */
type Expected = { tenant: string; contents: Set<string>; states: Set<State> }

/** A write that answered no ids: each of its contents may be there once, all of them or none; refused: none. */
type Unsure = { tenant: string; contents: readonly string[]; refused: boolean }

type Connected = { tenant: string; source: string; target: string }

/** What must and what may be in the graph, from the history alone. */
export type Expectation = {
  memories: Map<string, Expected>
  unsure: Unsure[]
  connected: Connected[]
  /** The ids of keys whose making was acknowledged. */
  keys: string[]
  /** Every content that was ever sent, with the tenant that sent it. */
  sent: Map<string, string>
  verdicts: Record<Verdict, number>
}

export function expectationOf(lines: readonly Line[]): Expectation {
  const ends = new Map(lines.flatMap(line => (line.at === 'end' ? [[line.op, line] as const] : [])))
  const expectation: Expectation = {
    memories: new Map(),
    unsure: [],
    connected: [],
    keys: [],
    sent: new Map(),
    verdicts: { acked: 0, refused: 0, unknown: 0 },
  }
  for (const line of lines) {
    if (line.at !== 'begin') continue
    const { verdict, ids = [] } = ends.get(line.op) ?? { verdict: 'unknown' as const }
    expectation.verdicts[verdict]++
    apply(expectation, line, verdict, ids)
  }
  return expectation
}

function apply(expectation: Expectation, operation: Operation, verdict: Verdict, ids: readonly string[]) {
  switch (operation.kind) {
    case 'create':
    case 'keyed':
    case 'batch':
      return made(expectation, operation.tenant, operation.contents, verdict, ids)
    case 'patch':
      expectation.sent.set(operation.content, operation.tenant)
      return changed(expectation.memories.get(operation.id)?.contents, operation.content, verdict)
    case 'archive':
      return changed(expectation.memories.get(operation.id)?.states, 'archived', verdict)
    case 'restore':
      return changed(expectation.memories.get(operation.id)?.states, 'active', verdict)
    case 'remove':
      return changed(expectation.memories.get(operation.id)?.states, 'gone', verdict)
    case 'connect':
      if (verdict === 'acked') expectation.connected.push(operation)
      return
    case 'key':
      expectation.keys.push(...ids)
  }
}

function made(
  { memories, unsure, sent }: Expectation,
  tenant: string,
  contents: readonly string[],
  verdict: Verdict,
  ids: readonly string[],
) {
  for (const content of contents) sent.set(content, tenant)
  if (verdict !== 'acked') return void unsure.push({ tenant, contents, refused: verdict === 'refused' })
  for (const [at, id] of ids.entries())
    memories.set(id, { tenant, contents: new Set([contents[at] as string]), states: new Set(['active']) })
}

function changed<T>(values: Set<T> | undefined, value: T, verdict: Verdict) {
  if (verdict === 'refused') return
  if (verdict === 'acked') values?.clear()
  values?.add(value)
}
