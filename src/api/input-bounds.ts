import { DEEPEST, MOST_VALUES, TOO_DEEP, TOO_MANY } from '../contract/json.ts'

/** What makes the parsed variables of GraphQL too large, or undefined. `readJson` says it of a text. */
export function boundsFault(value: unknown): string | undefined {
  let layer = [value].filter(isNested)
  let values = 1
  for (let depth = 0; layer.length > 0; depth++) {
    if (depth === DEEPEST) return TOO_DEEP
    const next: object[] = []
    for (const parent of layer) {
      const children = Object.values(parent)
      values += children.length
      if (values > MOST_VALUES) return TOO_MANY
      for (const child of children) if (isNested(child)) next.push(child)
    }
    layer = next
  }
  return undefined
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null
