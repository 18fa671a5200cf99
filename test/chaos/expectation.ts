import type { Begun, Line, Verdict } from './history.ts'

type State = 'active' | 'archived' | 'gone'

/** What may be true of a memory whose id is known: one thing, or several after a change that went unanswered. */
type Expected = { tenant: string; contents: Set<string>; states: Set<State> }

/** A write that answered no ids: each of its contents may be there once, all of them or none; refused: none. */
type Unsure = { tenant: string; contents: readonly string[]; refused: boolean }

type Connected = { tenant: string; source: string; target: string }

/** What must and what may be in the graph, told from the history alone. */
export type Expectation = {
  memories: Map<string, Expected>
  unsure: Unsure[]
  connected: Connected[]
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

function apply(expectation: Expectation, begun: Begun, verdict: Verdict, ids: readonly string[]) {
  switch (begun.kind) {
    case 'create':
    case 'keyed':
    case 'batch':
      return made(expectation, begun.tenant, begun.contents, verdict, ids)
    case 'patch':
      expectation.sent.set(begun.content, begun.tenant)
      return changed(expectation.memories.get(begun.id)?.contents, begun.content, verdict)
    case 'archive':
      return changed(expectation.memories.get(begun.id)?.states, 'archived', verdict)
    case 'restore':
      return changed(expectation.memories.get(begun.id)?.states, 'active', verdict)
    case 'remove':
      return changed(expectation.memories.get(begun.id)?.states, 'gone', verdict)
    case 'connect':
      if (verdict === 'acked') expectation.connected.push(begun)
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
