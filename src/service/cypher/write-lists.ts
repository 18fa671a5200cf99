import { isPlain, itemOf, listKind, mixed, plainKind } from './kinds.ts'
import { refuse } from './refusal.ts'
import { averageOf, forEach, type Size, small, together } from './sizes.ts'
import type { Comprehension, Expression, Placed, Quantified, Reduced } from './tree.ts'
import {
  count,
  declared,
  type Fragment,
  freshName,
  type NameScope,
  piece,
  refuseOpen,
  type Variable,
  type Write,
  type Writing,
  within,
} from './writing.ts'

const MOST_NESTED = 2

/** An operator on a list: its variable, and the scope of what it computes for each item. */
function over(
  writing: Writing,
  tree: Placed & { variable: string; list: Expression },
  scope: NameScope,
  write: Write,
) {
  count(writing, 'lists', tree.at)
  const given = write(writing, tree.list, scope)
  refuseOpen(writing, given, tree.at)
  if (given.kind.is !== 'list' && !isPlain(given.kind) && given.kind.is !== 'mixed')
    refuse(tree.at, 'a list is expected here')
  const text = freshName(writing, tree.variable)
  const each: Variable = { text, kind: itemOf(given.kind), size: averageOf(given.size) }
  return { given, text, inner: declared(within(scope), [[tree.variable, each]]) }
}

function nested<T>(writing: Writing, { at, list }: { at: number; list: Size }, run: () => T): T {
  const { around } = writing
  if (around.lists === MOST_NESTED) refuse(at, `operators on lists may nest ${MOST_NESTED} deep`)
  writing.around = {
    lists: around.lists + 1,
    times: around.times * Math.max(1, list.items),
    open: around.open || list.open > 0,
  }
  try {
    return run()
  } finally {
    writing.around = around
  }
}

export function writeComprehension(
  writing: Writing,
  tree: Comprehension & Placed,
  scope: NameScope,
  write: Write,
): Fragment {
  const { given, text, inner } = over(writing, tree, scope, write)
  const [where, value] = nested(writing, { at: tree.at, list: given.size }, () =>
    [tree.where, tree.value].map(each => each && write(writing, each, inner)),
  )
  return piece(
    `[${text} IN ${given.text}${where ? ` WHERE ${where.text}` : ''}${value ? ` | ${value.text}` : ''}]`,
    listKind(value?.kind ?? itemOf(given.kind)),
    value ? forEach(given.size, value.size) : given.size,
  )
}

export function writeQuantified(
  writing: Writing,
  tree: Quantified & Placed,
  scope: NameScope,
  write: Write,
): Fragment {
  count(writing, 'conditions', tree.at)
  const { given, text, inner } = over(writing, tree, scope, write)
  const where = nested(writing, { at: tree.at, list: given.size }, () => write(writing, tree.where, inner))
  return piece(`${tree.word}(${text} IN ${given.text} WHERE ${where.text})`, plainKind)
}

const PROBE = 100

/** The sum may be a part of its next value once: then the value grows with the list, and not with a power of it. */
export function writeReduced(
  writing: Writing,
  tree: Reduced & Placed,
  scope: NameScope,
  write: Write,
): Fragment {
  const { given, text, inner } = over(writing, tree, scope, write)
  const start = write(writing, tree.start, within(scope))
  const sum = freshName(writing, tree.sum)
  const valueFrom = (size: Size, list: Size) =>
    nested(writing, { at: tree.at, list }, () =>
      write(
        writing,
        tree.value,
        declared(inner, [[tree.sum, { text: sum, kind: isPlain(start.kind) ? plainKind : mixed, size }]]),
      ),
    )
  const value = valueFrom(small, given.size)
  const grown = valueFrom({ weight: PROBE, items: 1, item: PROBE, open: 0 }, small)
  if (grown.size.weight - value.size.weight > PROBE)
    refuse(tree.at, 'the sum of reduce may be a part of its next value once')
  if (!isPlain(start.kind) || !isPlain(value.kind)) refuse(tree.at, 'reduce makes plain values alone')
  return piece(
    `reduce(${sum} = ${start.text}, ${text} IN ${given.text} | ${value.text})`,
    plainKind,
    together([start.size, forEach(given.size, value.size)]),
  )
}
