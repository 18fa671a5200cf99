import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { circumstances } from '../../tools/run-conditions.ts'
import { prose } from './prose.ts'
import type { Result } from './run.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = join(import.meta.dirname, 'results')
const page = join(root, 'docs', 'reports', 'reliability.md')

type Kept = Result & { commit: string; date: string; machine: string; versions: string }

/** Keeps the result of a full run, and rewrites the page from all kept results. */
export function keepResult(result: Result, began: string): void {
  mkdirSync(folder, { recursive: true })
  const kept: Kept = { ...result, ...circumstances(began) }
  writeFileSync(join(folder, `${result.scenario}.json`), `${JSON.stringify(kept, null, 2)}\n`)
  writePage()
}

/** Rewrites docs/reports/reliability.md from the kept results. */
export function writePage(): void {
  const results = readdirSync(folder).map(
    name => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Kept,
  )
  const order = Object.keys(prose.scenarios)
  results.sort((one, other) => order.indexOf(one.scenario) - order.indexOf(other.scenario))
  writeFileSync(page, [prose.head, ...results.map(section), prose.limits].join('\n\n'))
}

function section(result: Kept): string {
  const { scenario, tier, seed, times, minutes, seconds, faults, commit, date, machine, versions } = result
  const description = prose.scenarios[scenario]
  const rows = [
    ...Object.entries(result.counters),
    ...Object.entries(result.durations).map(([what, all]) => [what, timesOf(all)] as const),
    ...Object.entries(result.seen).filter(([, count]) => count > 0),
    ['faults found by the checker', faults.length] as const,
  ].filter(([what]) => !/^killed at (?!a random)|^cut: |^claims$/.test(what))
  return [
    `## ${description?.title ?? scenario}`,
    description?.text ?? '',
    `\`npm run chaos -- --seed ${seed} --tier ${tier}${times ? ` --times ${times}` : ''}${minutes ? ` --minutes ${minutes}` : ''} --only ${scenario}\`: ${seconds} s on ${date}, commit ${commit}, ${versions}, on ${machine}.`,
    [
      '| what | measured |',
      '|---|---|',
      ...rows.map(([what, value]) => `| ${labels[what] ?? what} | ${figure(value)} |`),
    ].join('\n'),
    ...(faults.length > 0
      ? [
          `What failed:\n\n${faults
            .slice(0, 20)
            .map(each => `- ${each}`)
            .join('\n')}`,
        ]
      : []),
  ].join('\n\n')
}

/** What the checker counts, for readers of the page. */
const labels: Record<string, string> = {
  acked: 'operations acknowledged',
  unknown: 'operations without a response',
  'unanswered and there': 'creates among these that are stored',
}

export function timesOf(all: readonly number[]): string {
  const sorted = all.toSorted((one, other) => one - other)
  const middle = sorted[Math.floor(sorted.length / 2)]
  return `median ${middle} ms, longest ${sorted.at(-1)} ms, of ${sorted.length}`
}

const figure = (value: string | number) => (typeof value === 'number' ? value.toLocaleString('en') : value)
