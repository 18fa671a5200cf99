import { aggregating, isFunction, returned, showing } from './functions.ts'
import { isPlain, plainKind } from './kinds.ts'
import { allShown, keysShown } from './properties.ts'
import { refuse } from './refusal.ts'
import {
  collected,
  heaviestOf,
  largest,
  ranged,
  replaced,
  type Size,
  shortened,
  small,
  split,
  stored,
  walked,
} from './sizes.ts'
import type { Call, Expression, Placed } from './tree.ts'
import {
  type Fragment,
  freshName,
  type NameScope,
  piece,
  refuseLongSearch,
  type Write,
  type Writing,
  within,
} from './writing.ts'

/** Functions that need not compute all that they are given. */
const lazy = new Set(['coalesce'])

/** Functions that look for their second argument all over the first. */
const seeking = new Set(['btrim', 'ltrim', 'replace', 'rtrim', 'split', 'trim'])

/** A call of a function that is known. @throws Refusal for another one */
export function writeCall(writing: Writing, tree: Call & Placed, scope: NameScope, write: Write): Fragment {
  const { name, at } = tree
  if (!isFunction(name)) refuse(at, `the function ${name.slice(0, 60)} is not allowed`)
  if (name === 'range') refuseLongRange(tree)
  const inner = lazy.has(name) ? within(scope) : scope
  const given = tree.given.map(each => write(writing, each, inner))
  if (seeking.has(name)) refuseLongSearch(writing, given.slice(0, 2), at)
  if (showing.has(name)) return shown(writing, name, given, at)
  const kind = returned(
    name,
    given.map(each => each.kind),
  )
  if (!kind) return refuse(at, `${name} is not allowed for such a value`)
  const texts = given.map(({ text }) => text).join(', ')
  return piece(`${name}(${tree.distinct ? 'DISTINCT ' : ''}${texts})`, kind, sizeOf(tree, given))
}

/** What shows labels and properties is written so that it shows the public ones. */
function shown(writing: Writing, name: string, given: readonly Fragment[], at: number): Fragment {
  const [of, ...more] = given
  if (!of || more.length > 0) return refuse(at, `${name} takes one value`)
  const { text, kind } = of
  if (isPlain(kind) && name !== 'labels') return piece(`${name}(${text})`, plainKind, of.size)
  if (kind.is !== 'node' && kind.is !== 'connection')
    return refuse(at, `${name} is not allowed for such a value`)
  if (name === 'keys') return piece(keysShown(text, kind, freshName(writing, 'key')), plainKind, walked)
  if (!/^\w+$/.test(text)) return refuse(at, `give ${name} a variable`)
  if (name === 'properties') return piece(`${text} {${allShown(kind)}}`, plainKind, stored)
  if (kind.is !== 'node') return refuse(at, 'only a memory or a recall has labels')
  return piece(`CASE WHEN ${text} IS NULL THEN null ELSE ['${kind.label}'] END`, plainKind, walked)
}

function sizeOf({ name, given: trees, at }: Call & Placed, given: readonly Fragment[]): Size {
  const sizes = given.map(({ size }) => size)
  const [first = small] = sizes
  switch (name) {
    case 'range':
      return ranged(rangeOf(trees) ?? 0)
    case 'split':
      return split(first)
    case 'replace':
      return replaced(
        first,
        literal(trees[2])?.length ?? refuse(at, 'replace puts in a text that is written out'),
      )
    case 'left':
    case 'right':
      return shortened(first, numberIn(trees[1]) ?? Number.POSITIVE_INFINITY)
    case 'substring':
      return shortened(first, numberIn(trees[2]) ?? Number.POSITIVE_INFINITY)
    case 'collect':
      return collected(first)
    case 'head':
    case 'last':
      return heaviestOf(first)
    case 'nodes':
    case 'relationships':
      return walked
    default:
      return aggregating.has(name) || isShort(name)
        ? { ...small, ...(keepsSize(name) ? largest(sizes) : {}) }
        : largest(sizes)
  }
}

const keepsSize = (name: string) => name === 'min' || name === 'max'
const isShort = (name: string) => ['size', 'length', 'type', 'isempty'].includes(name)

const literal = (tree: Expression | undefined) => (tree?.is === 'string' ? tree.value : undefined)

function numberIn(tree: Expression | undefined): number | undefined {
  if (tree?.is === 'minus') {
    const of = numberIn(tree.of)
    return of === undefined ? undefined : -of
  }
  return tree?.is === 'number' && /^\d{1,9}$/.test(tree.text) ? Number(tree.text) : undefined
}

const LONGEST_RANGE = 1_000

function rangeOf(given: readonly Expression[]): number | undefined {
  const [from, to, step = 1] = given.map(numberIn)
  return from === undefined || to === undefined || step === undefined ? undefined : Math.abs(to - from) + 1
}

function refuseLongRange({ given, at }: Call & Placed): void {
  const items = rangeOf(given)
  if (items === undefined || given.some(each => numberIn(each) === undefined))
    refuse(at, 'write the numbers of range as they are')
  if ((items ?? 0) > LONGEST_RANGE + 1) refuse(at, `a range may have ${LONGEST_RANGE} numbers`)
}
