import { aggregating } from './functions.ts'
import type { Expression } from './tree.ts'

/** Whether an expression aggregates rows. A query in braces does so for itself. */
export function aggregates(tree: Expression): boolean {
  if (tree.is === 'countAll') return true
  if (tree.is === 'call' && aggregating.has(tree.name)) return true
  return partsOf(tree).some(aggregates)
}

function partsOf(tree: Expression): readonly Expression[] {
  switch (tree.is) {
    case 'call':
      return tree.given
    case 'list':
      return tree.items
    case 'joined':
      return tree.parts
    case 'map':
      return tree.entries.map(({ value }) => value)
    case 'projection':
      return [tree.of, ...tree.entries.map(({ value }) => value)]
    case 'item':
      return [tree.of, tree.index]
    case 'slice':
      return defined([tree.of, tree.from, tree.to])
    case 'case':
      return defined([tree.of, tree.otherwise, ...tree.whens.flatMap(({ when, value }) => [when, value])])
    case 'comprehension':
      return defined([tree.list, tree.where, tree.value])
    case 'quantified':
      return [tree.list, tree.where]
    case 'reduced':
      return [tree.start, tree.list, tree.value]
    case 'property':
    case 'label':
    case 'not':
    case 'minus':
    case 'isNull':
    case 'isNotNull':
      return [tree.of]
    default:
      return []
  }
}

const defined = (trees: readonly (Expression | undefined)[]) => trees.filter(each => each !== undefined)
