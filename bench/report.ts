import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { circumstances } from '../tools/run-conditions.ts'
import { writePlots } from './plots.ts'
import { prose, scaleProse } from './prose.ts'
import type { Measured, OperationResult } from './rounds.ts'
import type { Size } from './world.ts'

const folder = join(import.meta.dirname, 'results')
const pageOf = (name: string) => join(import.meta.dirname, '..', 'docs', 'reports', `${name}.md`)

/** `profile` is for developers, who read it in the results: no page shows it. */
export type Part = keyof typeof prose.parts | 'scale' | 'profile'

/** `rounds` only where the command says how many. */
export type Options = { rounds?: number; minutes: number }

/** What one part of a run found: operations that took turns, and figures by name; `flags` repeat it. */
export type Findings = {
  operations?: OperationResult[]
  figures?: Record<string, string | number>
  flags?: string
}

export type Result = Findings & {
  part: Part
  size: Size
  memories: number
} & ReturnType<typeof circumstances>

/** Keeps a result, and rewrites the pages from all kept results. */
export async function keepResult(result: Result): Promise<void> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${result.size}-${result.part}.json`), `${JSON.stringify(result, null, 2)}\n`)
  await writePages()
}

/**
 * Rewrites docs/reports/performance.md and docs/reports/scale.md from the kept results. Those of the small size are for a
 * quick look alone.
 */
export async function writePages(): Promise<void> {
  const results = readdirSync(folder)
    .map(name => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Result)
    .filter(({ size }) => size !== 'small')
    .sort((a, b) => a.memories - b.memories)
  const ofPart = (part: Part) => results.filter(result => result.part === part)
  const sections = (Object.keys(prose.parts) as (keyof typeof prose.parts)[]).flatMap(part =>
    ofPart(part).length === 0 ? [] : [section(part, ofPart(part))],
  )
  writeFileSync(pageOf('performance'), `${[prose.head, ...sections, prose.limits].join('\n\n')}\n`)
  const scale = ofPart('scale')
  if (scale.length > 0)
    writeFileSync(pageOf('scale'), `${[scaleProse.head, sideBySide(scale), scaleProse.plan].join('\n\n')}\n`)
  await writePlots(results)
}

/** The same figures of several sizes, a column for each. */
function sideBySide(results: readonly Result[]): string {
  const names = [...new Set(results.flatMap(({ figures = {} }) => Object.keys(figures)))]
  const head = results.map(({ memories }) => memories.toLocaleString('en'))
  const rows = names.map(name => [name, ...results.map(({ figures = {} }) => formatValue(figures[name]))])
  const table = [['memories', ...head], ['---', ...head.map(() => '---')], ...rows]
  const runs = results.map(
    result =>
      `- ${result.memories.toLocaleString('en')}: \`npm run bench -- --size ${result.size} --only scale\`, ${circumstancesOf(result)}`,
  )
  return [...table.map(cells => `| ${cells.join(' | ')} |`), '', ...runs].join('\n')
}

const formatValue = (value: string | number | undefined) =>
  typeof value === 'number' ? value.toLocaleString('en') : (value ?? 'not measured')

const circumstancesOf = ({ date, commit, versions, machine }: Result) =>
  `on ${date}, commit ${commit}, ${versions}, on ${machine}`

const section = (part: keyof typeof prose.parts, results: readonly Result[]) =>
  [`## ${prose.parts[part].title}`, prose.parts[part].text, ...results.map(tables)].join('\n\n')

function tables(result: Result) {
  const { part, size, memories, operations = [], figures = {}, flags } = result
  const loads = operations.map(({ load }) => load)
  const load =
    loads.length === 0 ? '' : `, load ${Math.min(...loads).toFixed(0)} to ${Math.max(...loads).toFixed(0)}`
  const command = ['npm run bench --', `--size ${size} --only ${part}`, flags ?? []].flat().join(' ')
  const intro = `**${memories.toLocaleString('en')} memories.** \`${command}\` ${circumstancesOf(result)}${load}.`
  return [
    intro,
    ...(operations.length > 0 ? [table(HEAD, operations.map(row))] : []),
    ...grids(Object.entries(figures), columns[part]),
  ].join('\n\n')
}

/** A table without the columns in which nothing was measured. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const kept = head.flatMap((_, at) => (rows.some(cells => cells[at] !== NOTHING) ? [at] : []))
  const line = (cells: readonly string[]) => `| ${kept.map(at => cells[at]).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(kept.length)}`, ...rows.map(line)].join('\n')
}

const NOTHING = '–'

const HEAD = [
  ...['operation', 'callers', 'service', 'raw-http', 'raw-best', 'raw-naive'],
  ...['p50 against raw-http', 'p50 against raw-best', 'throughput against raw-best', 'against raw-naive'],
]

function row({ name, callers, contestants, ratios }: OperationResult): string[] {
  const figures = ['service', 'raw-http', 'raw-best', 'raw-naive'].map(who =>
    formatMeasured(contestants[who]),
  )
  const { 'raw-http': http, 'raw-best': best, 'raw-naive': naive } = ratios
  const compared = [http?.p50, best?.p50, best?.perSecond, naive?.perSecond].map(formatRatio)
  return [name, String(callers), ...figures, ...compared]
}

/** The part of the name of a figure that is the head of its column. */
const columns: Partial<Record<Part, RegExp>> = {
  'first-minute': /^[^:]+: /,
  neighbours: /: (?:median|longest)$/,
  recall: /, tenant with \d+ %/,
}

/** Figures as rows, in a table for all rows with the same columns. */
function grids(figures: readonly [name: string, value: string | number][], column = /^/): string[] {
  const cells = figures.map(([name, value]) => {
    const [found = ''] = column.exec(name) ?? []
    return { what: name.replace(found, ''), head: found.replaceAll(/^[,:] |: $/g, '') || 'measured', value }
  })
  const rows = Map.groupBy(cells, ({ what }) => what)
  const headsOf = (row: typeof cells) => row.map(({ head }) => head)
  const tables = Map.groupBy(rows, ([, row]) => headsOf(row).join('|'))
  return [...tables.values()].map(all =>
    table(
      ['what', ...headsOf(all[0]?.[1] ?? [])],
      all.map(([what, row]) => [what, ...row.map(({ value }) => formatValue(value))]),
    ),
  )
}

const formatMeasured = (measured: Measured | undefined) =>
  measured
    ? `${measured.p50.toFixed(1)} / ${measured.p99.toFixed(0)} ms, ${measured.perSecond.toFixed(0)}/s`
    : NOTHING

const formatRatio = (ratio: number | undefined) => (ratio === undefined ? NOTHING : `× ${ratio.toFixed(2)}`)
