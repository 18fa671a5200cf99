import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, View } from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'
import type { OperationResult } from './rounds.ts'

/** What the plots show of a result. */
type Result = {
  part: string
  size: string
  memories: number
  figures?: Record<string, string | number>
  operations?: OperationResult[]
}

const folder = join(import.meta.dirname, '..', 'docs', 'images', 'plots')

const look = {
  background: 'white',
  config: {
    font: 'sans-serif',
    axis: { labelFontSize: 12, titleFontSize: 12 },
    legend: { labelFontSize: 12 },
  },
}

/** Writes the plots that stand at the top of the reports. */
export async function writePlots(results: readonly Result[]): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const plots = { scale: scalePlot(results), performance: performancePlot(results) }
  for (const [name, plot] of Object.entries(plots)) {
    const { spec } = compile(plot)
    const svg = await new View(parse(spec), { renderer: 'none' }).toSVG()
    writeFileSync(join(folder, `${name}.svg`), `${svg}\n`)
  }
}

const SHOWN = ['semantic search', 'hybrid search', 'keyword search', 'get a memory', 'create a memory']

/** The median times of one caller by the number of memories. */
function scalePlot(results: readonly Result[]): TopLevelSpec {
  const values = results
    .filter(({ part }) => part === 'scale')
    .flatMap(({ memories, figures = {} }) =>
      SHOWN.map(operation => ({
        memories,
        operation,
        ms: Number.parseFloat(String(figures[`${operation}, one caller, p50 / p99`])),
      })),
    )
  return {
    ...look,
    width: 560,
    height: 260,
    data: { values },
    mark: { type: 'line', point: true },
    encoding: {
      x: {
        field: 'memories',
        type: 'quantitative',
        scale: { type: 'log' },
        title: 'memories',
        axis: { format: ',d', values: [1e3, 1e4, 1e5, 1e6] },
      },
      y: { field: 'ms', type: 'quantitative', title: 'median time with one caller, ms' },
      color: { field: 'operation', type: 'nominal', sort: SHOWN, title: null },
    },
  }
}

/** How many times as long as the best plain form the operations take, with one caller. */
function performancePlot(results: readonly Result[]): TopLevelSpec {
  const values = results
    .filter(({ part, size }) => size === 'medium' && ['reads', 'walks'].includes(part))
    .flatMap(({ part, operations = [] }) =>
      // Walks have a part of their own.
      operations.filter(({ name }) => part === 'walks' || !name.startsWith('related')),
    )
    .filter(({ callers }) => callers === 1)
    .flatMap(({ name, ratios }) => {
      const ratio = ratios['raw-best']?.p50
      return ratio === undefined ? [] : [{ name, ratio }]
    })
  return {
    ...look,
    width: 460,
    height: { step: 22 },
    data: { values },
    layer: [
      {
        mark: 'bar',
        encoding: {
          y: { field: 'name', type: 'nominal', sort: null, title: null, axis: { labelLimit: 320 } },
          x: {
            field: 'ratio',
            type: 'quantitative',
            title: 'median time, as a multiple of the best plain query (1 is equal)',
          },
        },
      },
      { mark: { type: 'rule', color: 'black' }, encoding: { x: { datum: 1 } } },
    ],
  }
}
