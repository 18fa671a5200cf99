import { useEffect, useRef } from 'react'
import UPlot from 'uplot'

type Series = { readonly name: string; readonly values: readonly number[]; readonly colour: string }

type ChartProps = {
  /** What the chart says, for those who do not see it. */
  readonly summary: string
  /** The kind of the labels, and a label below each group of bars. */
  readonly axis: string
  readonly labels: readonly string[]
  readonly series: readonly Series[]
}

const HEIGHT = 150

/** Bars by uPlot, redrawn when the figures, the width or the colours of the page change. */
export function BarChart({ summary, axis, labels, series }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    let plot: UPlot | undefined
    const draw = () => {
      plot?.destroy()
      plot = new UPlot(optionsOf(element, axis, labels, series), dataOf(labels, series), element)
    }
    draw()
    const sizes = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: HEIGHT }))
    sizes.observe(element)
    const themes = new MutationObserver(draw)
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    const system = matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', draw)
    return () => {
      sizes.disconnect()
      themes.disconnect()
      system.removeEventListener('change', draw)
      plot?.destroy()
    }
  }, [axis, labels, series])
  return <div ref={place} className="chart" role="img" aria-label={summary} />
}

const dataOf = (labels: readonly string[], series: readonly Series[]): UPlot.AlignedData => [
  labels.map((_, at) => at),
  ...series.map(({ values }) => [...values]),
]

/** One series has the whole width of its place; two stand side by side. */
function barsOf(at: number, count: number) {
  const { bars } = UPlot.paths
  if (!bars) return {}
  return {
    paths: count === 1 ? bars({ size: [0.8, 40] }) : bars({ size: [0.4, 20], align: at === 0 ? -1 : 1 }),
  }
}

function optionsOf(
  element: HTMLElement,
  name: string,
  labels: readonly string[],
  series: readonly Series[],
): UPlot.Options {
  const colour = (name: string) => {
    element.style.color = `var(${name})`
    return getComputedStyle(element).color
  }
  const line = { stroke: colour('--muted'), grid: { stroke: colour('--line') }, ticks: { show: false } }
  const whole = (_: UPlot, values: number[]) =>
    values.map(value => (Number.isInteger(value) ? String(value) : ''))
  return {
    width: element.clientWidth,
    height: HEIGHT,
    cursor: { drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: () => [-0.5, labels.length - 0.5] },
      y: { range: (_, __, most) => [0, Math.max(1, most)] },
    },
    axes: [
      { ...line, grid: { show: false }, values: (_, places) => places.map(at => labels[at] ?? '') },
      { ...line, size: 44, values: whole },
    ],
    series: [
      { label: name, value: (_, at) => labels[at] ?? '' },
      ...series.map(({ name, colour: variable }, at) => ({
        label: name,
        stroke: colour(variable),
        fill: colour(variable),
        width: 0,
        ...barsOf(at, series.length),
        points: { show: false },
      })),
    ],
  }
}
