import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { circumstances } from '../test/support/circumstances.ts'
import { prose } from './prose.ts'
import type { OperationResult } from './rounds.ts'
import type { Size } from './world.ts'

const folder = join(import.meta.dirname, 'results')
const page = join(import.meta.dirname, '..', 'docs', 'performance.md')

export type Part = keyof typeof prose.parts

/** What one part of a run found: operations that took turns, and figures by name. */
export type Findings = { operations?: OperationResult[]; figures?: Record<string, string | number> }

export type Result = Findings & {
  part: Part
  size: Size
  memories: number
  rounds: number
} & ReturnType<typeof circumstances>

/** Keeps a result, and writes the page anew from all that are kept. */
export function keepResult(result: Result): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${result.size}-${result.part}.json`), `${JSON.stringify(result, null, 2)}\n`)
  writePage()
}

/** Writes docs/performance.md anew from the results that are kept. Those of the small size are for a quick look alone. */
export function writePage(): void {
  const results = readdirSync(folder)
    .map(name => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Result)
    .filter(({ size }) => size !== 'small')
  const sections = (Object.keys(prose.parts) as Part[]).flatMap(part => {
    const ofPart = results.filter(result => result.part === part).sort((a, b) => a.memories - b.memories)
    return ofPart.length === 0 ? [] : [section(part, ofPart)]
  })
  writeFileSync(page, `${[prose.head, ...sections, prose.limits].join('\n\n')}\n`)
}

const section = (part: Part, results: readonly Result[]) =>
  [`## ${prose.parts[part].title}`, prose.parts[part].text, ...results.map(tables)].join('\n\n')

function tables({
  part,
  size,
  memories,
  rounds,
  operations = [],
  figures = {},
  date,
  commit,
  versions,
  machine,
}: Result) {
  const loads = operations.map(({ load }) => load)
  const load =
    loads.length === 0 ? '' : `, load ${Math.min(...loads).toFixed(0)} to ${Math.max(...loads).toFixed(0)}`
  const told = `**${memories.toLocaleString('en')} memories.** \`npm run bench -- --size ${size} --only ${part} --rounds ${rounds}\` on ${date}, commit ${commit}, ${versions}, on ${machine}${load}.`
  const rows = Object.entries(figures).map(
    ([what, value]) => `| ${what} | ${typeof value === 'number' ? value.toLocaleString('en') : value} |`,
  )
  return [
    told,
    ...(operations.length > 0 ? [[HEAD, ...operations.map(row)].join('\n')] : []),
    ...(rows.length > 0 ? [['| what | measured |', '|---|---|', ...rows].join('\n')] : []),
  ].join('\n\n')
}

const HEAD = `| operation | callers | service | raw-best | raw-naive | p50 against raw-best | throughput against raw-best | against raw-naive |
|---|---|---|---|---|---|---|---|`

function row({ name, callers, contestants, ratios }: OperationResult): string {
  const figures = ['service', 'raw-best', 'raw-naive'].map(who => {
    const { p50, p99, perSecond } = contestants[who] ?? { p50: 0, p99: 0, perSecond: 0 }
    return `${p50.toFixed(1)} / ${p99.toFixed(0)} ms, ${perSecond.toFixed(0)}/s`
  })
  const best = ratios['raw-best']
  const naive = ratios['raw-naive']
  return `| ${[name, callers, ...figures, `× ${best?.p50.toFixed(2)}`, `× ${best?.perSecond.toFixed(2)}`, `× ${naive?.perSecond.toFixed(2)}`].join(' | ')} |`
}
