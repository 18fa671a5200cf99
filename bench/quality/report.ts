import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { circumstances } from '../../tools/run-conditions.ts'
import { type Contestant, contestants, type Ranks, steps } from './contestants.ts'
import { interval, type Measure, meanOf, measures } from './metrics.ts'
import { prose } from './prose.ts'
import type { Half } from './questions.ts'
import type { Separation } from './relevance.ts'
import type { Part } from './sets.ts'

/** What a run found of one part of a set, in one space of vectors. */
export type Finding = {
  readonly space: keyof typeof prose.spaces
  readonly set: string
  readonly about: string
  readonly part: Part
  readonly memories: number
  readonly ranks: Ranks
}

/** How relevance separated the questions of one half, in one space of vectors. */
export type Separated = Separation & { readonly space: Finding['space']; readonly half: Half }

const page = join(import.meta.dirname, '..', '..', 'docs', 'reports', 'search-quality.md')
const names = Object.keys(measures) as Measure[]

/** Rewrites docs/reports/search-quality.md. */
export function writePage(
  findings: readonly Finding[],
  separated: readonly Separated[],
  run: ReturnType<typeof circumstances>,
): void {
  const asked = findings.filter(({ part }) => part !== 'tuning')
  const intro = `\`npm run bench:quality\` on ${run.date}, commit ${run.commit}, ${run.versions}.`
  const sections = [
    prose.head,
    ...['## Hybrid against semantic and keyword', intro, prose.verdict, verdicts(asked)],
    ...['## All figures', prose.figures, ...comparisons(asked)],
    ...['## Relevance', prose.relevance, separations(separated)],
    prose.tail,
  ]
  writeFileSync(page, `${sections.join('\n\n')}\n`)
}

/** The lead of `hybrid` over the better of its halves, query by query, in each measure. */
export function verdicts(findings: readonly Finding[]): string {
  const rows = findings.map(finding => {
    const leads = names.map(measure => {
      const [semantic, keyword, hybrid] = (['semantic', 'keyword', 'hybrid'] as const).map(who =>
        valuesOf(finding.ranks, who, measure),
      ) as [number[], number[], number[]]
      const better = meanOf(semantic) > meanOf(keyword) ? semantic : keyword
      const lead = interval(hybrid.map((value, at) => value - (better[at] as number)))
      return `${signed(lead.mean)} (${signed(lead.low)} … ${signed(lead.high)})`
    })
    return `| ${[finding.set, finding.part, prose.spaces[finding.space], ...leads].join(' | ')} |`
  })
  return [
    `| set | part | vectors | ${names.join(' | ')} |`,
    `|---|---|---|${names.map(() => '---|').join('')}`,
    ...rows,
  ].join('\n')
}

export function separations(separated: readonly Separated[]): string {
  const rows = separated.map(({ space, half, answerable, unanswerable, auc, empty, lost, hidden }) =>
    [
      prose.spaces[space],
      half,
      answerable,
      unanswerable,
      figure(auc),
      figure(empty),
      figure(lost),
      figure(hidden),
    ].join(' | '),
  )
  return [
    '| vectors | half | answerable | unanswerable | AUC | empty contexts | lost in contexts | hidden in searches |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(row => `| ${row} |`),
  ].join('\n')
}

/** All contestants on each part of a set. */
export const comparisons = (findings: readonly Finding[]): string[] =>
  [...Map.groupBy(findings, ({ set, part }) => `${set}, ${part}`).values()].map(comparison)

/** Those that need no vectors stand once, the others for each space of vectors. */
function comparison(findings: readonly Finding[]): string {
  const [first] = findings
  if (!first) return ''
  const { set, part, memories, ranks, about } = first
  const row = (label: string, { ranks }: Finding, who: Contestant) => {
    const figures = names.map(measure => {
      const { mean, low, high } = interval(valuesOf(ranks, who, measure))
      return `${figure(mean)} (${figure(low)} … ${figure(high)})`
    })
    return `| ${[label, ...figures].join(' | ')} |`
  }
  const { semantic, plain, hybrid, ...byWords } = contestants
  const rows = [
    ...Object.entries(byWords).map(([who, label]) => row(label, first, who as Contestant)),
    ...findings.flatMap(finding =>
      Object.entries({ semantic, plain, hybrid }).map(([who, label]) =>
        row(`${label}, ${prose.spaces[finding.space]}`, finding, who as Contestant),
      ),
    ),
  ]
  return [
    `### ${set}, ${part}`,
    `${about} ${ranks.hybrid.length} questions to ${memories.toLocaleString('en')} memories.`,
    [`| | ${names.join(' | ')} |`, `|---|${names.map(() => '---|').join('')}`, ...rows].join('\n'),
  ].join('\n\n')
}

/** What each step adds, on the parts that were tuned with. */
export function ablation(findings: readonly Finding[]): string {
  const heads = findings.map(({ set, space }) => `${set}, ${prose.spaces[space]}`)
  const rows = Object.entries(steps).map(([step, label]) => {
    const figures = findings.map(({ ranks }) =>
      (['recall@10', 'nDCG@10'] as const)
        .map(measure => figure(meanOf(valuesOf(ranks, step as Contestant, measure))))
        .join(' / '),
    )
    return `| ${[label, ...figures].join(' | ')} |`
  })
  return [
    `| recall@10 / nDCG@10 | ${heads.join(' | ')} |`,
    `|---|${heads.map(() => '---|').join('')}`,
    ...rows,
  ].join('\n')
}

const valuesOf = (ranks: Ranks, who: Contestant, measure: Measure) => ranks[who].map(measures[measure])
const figure = (value: number) => value.toFixed(3).replace(/^0/, '')
const signed = (value: number) => `${value < 0 ? '−' : '+'}${figure(Math.abs(value))}`
