import type { App } from '../context.ts'
import type { StoreFigures } from '../platform/metrics.ts'
import { readFigures } from '../store/figures.ts'

/** Counting tenants reads all memories: what several readers ask for within this time is read once. */
const KEEP_MS = 10_000
const READ_MS = 5_000

/** Returns what prints the metrics of a process together with the figures of the store. */
export function metricsPrinter(app: App): () => Promise<string> {
  let kept: { at: number; figures: Promise<StoreFigures | undefined> } | undefined
  return async () => {
    if (!kept || performance.now() - kept.at > KEEP_MS)
      kept = { at: performance.now(), figures: figuresOf(app) }
    return app.metrics.print(await kept.figures)
  }
}

const figuresOf = (app: App) =>
  readFigures({ app, signal: AbortSignal.timeout(READ_MS) }).catch(error => {
    app.log.warn({ error: String(error) }, 'the metrics lack the figures of the store')
    return undefined
  })
