/** More than the largest batch of memories has. */
const MOST_VALUES = 100_000
/** Deeper values could exhaust the stack of the code that reads them. */
const DEEPEST = 128

/**
 * What makes a parsed JSON value too large to be read further, or undefined. Every body, set of variables and message
 * is checked here before a schema or a library sees it.
 */
export function boundsFault(value: unknown): string | undefined {
  let layer = [value].filter(isNested)
  let values = 1
  for (let depth = 0; layer.length > 0; depth++) {
    if (depth === DEEPEST) return `must nest at most ${DEEPEST} levels`
    const next: object[] = []
    for (const parent of layer) {
      const children = Object.values(parent)
      values += children.length
      if (values > MOST_VALUES) return `must have at most ${MOST_VALUES} values`
      for (const child of children) if (isNested(child)) next.push(child)
    }
    layer = next
  }
  return undefined
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null
