import { appendFileSync, readFileSync } from 'node:fs'

/** From here on the embedding model changes: what is written later may be connected by either. */
export const MODEL_CHANGES = 'the model changes'

/** How an operation ended for the one who asked for it. `unknown`: no answer, or one that does not say. */
export type Verdict = 'acked' | 'refused' | 'unknown'

/** What a client asks for. Contents are unique in a run, so that they name a write that got no id. */
export type Operation =
  | { kind: 'create' | 'keyed' | 'batch'; tenant: string; contents: string[] }
  | { kind: 'patch'; tenant: string; id: string; content: string }
  | { kind: 'archive' | 'restore' | 'remove'; tenant: string; id: string }
  | { kind: 'connect'; tenant: string; source: string; target: string }
  | { kind: 'key'; tenant: string }

type Hit = { content: string; score: number; model: string; dimensions: number }

/** One line of the history. */
export type Line =
  | ({ at: 'begin'; op: number } & Operation)
  | { at: 'end'; op: number; verdict: Verdict; ids?: string[] }
  | { at: 'search'; tenant: string; texts: string[]; hits: Hit[] | null; reason?: string }
  | { at: 'claim'; tenant: string; worker: string; jobs: string[] }
  | { at: 'late'; tenant: string; worker: string; write: string; refused: boolean }
  | { at: 'fault'; fault: string }

/** The file that the parent writes, line by line as things happen: it survives whatever is killed. */
export function openHistory(file: string) {
  let last = 0
  let acked = 0
  const note = (line: Line) => appendFileSync(file, `${JSON.stringify(line)}\n`)
  return {
    file,
    note,
    begin(operation: Operation): number {
      note({ at: 'begin', op: ++last, ...operation })
      return last
    },
    end(op: number, verdict: Verdict, ids: string[] = []) {
      if (verdict === 'acked') acked++
      note({ at: 'end', op, verdict, ids })
    },
    /** How many operations have been acknowledged so far. */
    acked: () => acked,
  }
}

export type History = ReturnType<typeof openHistory>

export const readHistory = (file: string): Line[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Line)

/** The contents that were sent before the embedding model changed; all when it did not. */
export function sentInOneModel(lines: readonly Line[]): Set<string> {
  const change = lines.findIndex(line => line.at === 'fault' && line.fault === MODEL_CHANGES)
  return new Set(
    lines.slice(0, change < 0 ? lines.length : change).flatMap(line => {
      if (line.at !== 'begin') return []
      if ('contents' in line) return line.contents
      return 'content' in line ? [line.content] : []
    }),
  )
}
