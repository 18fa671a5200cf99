import { either, isPlain, type Kind, listKind, mixed, plainKind } from './kinds.ts'
import { together } from './sizes.ts'
import type { Expression, Placed } from './tree.ts'
import {
  bounded,
  count,
  type Fragment,
  type NameScope,
  piece,
  refuseLongSearch,
  refuseOpen,
  TENANT,
  type Write,
  type Writing,
} from './writing.ts'

type Joined = Extract<Expression, { is: 'joined' }>

/** Parts between operators. @throws Refusal */
export function writeJoined(writing: Writing, tree: Joined, scope: NameScope, write: Write): Fragment {
  const [first, ...others] = tree.parts.map(each => write(writing, each, scope)) as [Fragment, ...Fragment[]]
  const operator = tree.operators[0] as string
  if (/^[=<>]/.test(operator)) return compared(writing, tree, [first, ...others])
  let all = first
  for (const [at, other] of others.entries()) {
    all = pair(writing, { operator: tree.operators[at] as string, at: tree.at }, all, other)
    bounded(writing, all, tree.at)
  }
  return all
}

/** `m.tenant = $tenant` is what the pattern of `m` says already, in the same words. */
function compared(writing: Writing, { operators, parts, at }: Joined, pieces: readonly Fragment[]): Fragment {
  for (const _ of operators) count(writing, 'conditions', at)
  for (const each of pieces) refuseOpen(writing, each, at)
  const [first, second] = pieces as [Fragment, Fragment]
  const [own] = parts
  if (
    operators.length === 1 &&
    operators[0] === '=' &&
    second.text === TENANT &&
    own?.is === 'property' &&
    own.name === 'tenant'
  )
    return piece(first.text.replace(/^CASE WHEN (\w+) IS NULL .*$/, `($1.tenant = ${TENANT})`), plainKind)
  const text = pieces
    .map((each, index) => (index === 0 ? each.text : `${operators[index - 1]} ${each.text}`))
    .join(' ')
  return { ...piece(`(${text})`, plainKind), yes: operators.length, no: 1 }
}

function pair(
  writing: Writing,
  { operator, at }: Placed & { operator: string },
  a: Fragment,
  b: Fragment,
): Fragment {
  const text = `(${a.text} ${operator} ${b.text})`
  switch (operator) {
    case 'AND':
      return { ...piece(text, plainKind), yes: a.yes + b.yes, no: a.no * b.no }
    case 'OR':
      return { ...piece(text, plainKind), yes: a.yes * b.yes, no: a.no + b.no }
    case 'XOR':
      count(writing, 'exclusive', at)
      return { ...piece(text, plainKind), yes: a.yes * b.yes + a.no * b.no, no: a.no * b.yes + a.yes * b.no }
    case '+':
    case '||':
      return piece(text, sumOf(a.kind, b.kind), together([a.size, b.size]))
    case 'CONTAINS':
      refuseLongSearch(writing, [a, b], at)
      count(writing, 'conditions', at)
      return piece(text, plainKind)
    case 'IN':
    case 'STARTS WITH':
    case 'ENDS WITH':
      count(writing, 'conditions', at)
      return piece(text, plainKind)
    default:
      return piece(text, plainKind)
  }
}

function sumOf(a: Kind, b: Kind): Kind {
  if (isPlain(a) && isPlain(b)) return plainKind
  if (a.is === 'list' || b.is === 'list')
    return listKind(either(a.is === 'list' ? a.of : a, b.is === 'list' ? b.of : b))
  return mixed
}
