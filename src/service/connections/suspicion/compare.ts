import { amountOf, comparedTokens, type Token } from './words.ts'

type SuspicionRule = 'number' | 'date' | 'unit' | 'name' | 'place' | 'negation' | 'opposite'

/** Why two texts may not both hold. */
export type Suspicion = { readonly rule: SuspicionRule; readonly reason: string }

/** Longer texts say more than one thing. */
export const LONGEST = 400
const MOST_TOKENS = 40
/** The share of tokens that both texts have. */
const SAME_FRAME = 0.6
const MOST_DIFFERENCES = 2

/** Whether two texts say nearly the same with another number, date, unit, name or place, or with a negation. */
export function suspect(one: string, other: string): Suspicion | undefined {
  if (one.length > LONGEST || other.length > LONGEST) return undefined
  const [a, b] = [plain(comparedTokens(one)), plain(comparedTokens(other))]
  if (Math.max(a.length, b.length) > MOST_TOKENS || Math.min(a.length, b.length) < 3) return undefined
  const { common, differences } = align(a, b)
  if ((2 * common) / (a.length + b.length) < SAME_FRAME || differences.length === 0) return undefined
  return negated(a, b, differences) ?? replaced(a, b, differences)
}

/** Words that change nothing. */
const FILLERS = new Set(
  'the a an our my their its his her this that now currently usually always just also only today already still'.split(
    ' ',
  ),
)
const plain = (tokens: readonly Token[]) =>
  tokens.filter(({ key, kind }) => kind !== 'word' || !FILLERS.has(key))

type Difference = { readonly at: readonly [number, number]; readonly a: Token[]; readonly b: Token[] }

/** The runs of tokens in which two texts differ, by their longest common subsequence. */
function align(a: readonly Token[], b: readonly Token[]): { common: number; differences: Difference[] } {
  const common = commonLengths(a, b)
  const lengthAt = (i: number, j: number) => common[i]?.[j] ?? 0
  const differences: Difference[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const start: [number, number] = [i, j]
    while ((i < a.length || j < b.length) && !isSame(a[i], b[j]))
      if (j >= b.length || (i < a.length && lengthAt(i + 1, j) >= lengthAt(i, j + 1))) i++
      else j++
    if (i > start[0] || j > start[1])
      differences.push({ at: start, a: a.slice(start[0], i), b: b.slice(start[1], j) })
    i++
    j++
  }
  return { common: lengthAt(0, 0), differences }
}

/** How long the longest common subsequence is of what begins at two places. */
function commonLengths(a: readonly Token[], b: readonly Token[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      (lengths[i] as number[])[j] = isSame(a[i], b[j])
        ? 1 + (lengths[i + 1]?.[j + 1] ?? 0)
        : Math.max(lengths[i + 1]?.[j] ?? 0, lengths[i]?.[j + 1] ?? 0)
  return lengths
}

const isSame = (a: Token | undefined, b: Token | undefined) => a !== undefined && a.key === b?.key

/** Helpers that come and go with a negation. */
const AUXILIARIES = new Set('do does did is are was were be to any ever longer more'.split(' '))

function negated(
  a: readonly Token[],
  b: readonly Token[],
  differences: readonly Difference[],
): Suspicion | undefined {
  const count = (tokens: readonly Token[]) => tokens.filter(({ kind }) => kind === 'negation').length
  const isNegation = differences.every(({ a: left, b: right }) =>
    [...left, ...right].every(({ key, kind }) => kind === 'negation' || AUXILIARIES.has(key)),
  )
  if (isNegation && count(a) % 2 !== count(b) % 2)
    return { rule: 'negation', reason: 'One denies what the other says.' }
  const [only] = differences
  if (differences.length !== 1 || only?.a.length !== 1 || only.b.length !== 1) return undefined
  const [left, right] = [only.a[0] as Token, only.b[0] as Token]
  if (!areOpposite(left.key, right.key)) return undefined
  return { rule: 'opposite', reason: `“${left.text}” is the opposite of “${right.text}”.` }
}

const OPPOSITES = new Set(
  `enabled disabled|enable disable|on off|open closed|allowed forbidden|allowed prohibited|required optional|true false|before after|
  increase decrease|increased decreased|up down|like dislike|love hate|accept reject|accepted rejected|public private|online offline|
  active inactive|safe unsafe|possible impossible|pass fail|passed failed|remote onsite|free paid|left right|cheap expensive|hot cold|
  manual automatic|manually automatically|synchronous asynchronous|alive dead|single married|full empty|early late|mandatory optional|
  supported unsupported|valid invalid|permitted forbidden|vegetarian carnivore|encrypted unencrypted|present absent|buy sell|above below`
    .split('|')
    .flatMap(pair => {
      const [one = '', other = ''] = pair.trim().split(' ')
      return [`${one} ${other}`, `${other} ${one}`]
    }),
)
const areOpposite = (one: string, other: string) => OPPOSITES.has(`${one} ${other}`)

/** The same frame with another value: all differences stand in what is said, not in of whom it is said. */
function replaced(
  a: readonly Token[],
  b: readonly Token[],
  differences: readonly Difference[],
): Suspicion | undefined {
  if (differences.length > MOST_DIFFERENCES) return undefined
  const [verbA, verbB] = [verbIn(a), verbIn(b)]
  if (verbA === undefined || verbB === undefined) return undefined
  const found: Suspicion[] = []
  for (const { at, a: left, b: right } of differences) {
    if (at[0] <= verbA || at[1] <= verbB) return undefined
    const suspicion = meaningOf(left, right, a[at[0] - 1], a[at[0] + left.length])
    if (suspicion === 'same') continue
    if (suspicion === undefined) return undefined
    found.push(suspicion)
  }
  // Another value at another time is another event.
  return found.length === 1 ? found[0] : undefined
}

const VERBS = new Set(
  `is are was were has have had will must can may should would do does did be live work run use cost take need start end begin open close meet
  speak prefer own drive eat drink weigh measure last listen report belong expire rotate retry keep store support deploy ship cover contain
  like love hate know manage lead own play study teach earn pay charge send arrive leave depart sit stand hold seat grow wait allow return write`.split(
    /\s+/,
  ),
)
const DETERMINERS = /^(?:the|a|an|our|my|their|all|some|of)$/

/** Where the sentence says something of its subject. */
function verbIn(tokens: readonly Token[]): number | undefined {
  const at = tokens.findIndex(
    ({ key, text, kind }, index) =>
      kind === 'word' &&
      index > 0 &&
      (VERBS.has(key) ||
        (/^\p{Ll}{3,}(?:s|ed)$/u.test(text) && !DETERMINERS.test(tokens[index - 1]?.key ?? ''))),
  )
  return at < 0 ? undefined : at
}

const PLACES = new Set('in at to from near into via behind opposite on'.split(' '))

/** What a replaced run of tokens means; `same` if both say the same in other words. */
function meaningOf(
  left: readonly Token[],
  right: readonly Token[],
  before: Token | undefined,
  after: Token | undefined,
): Suspicion | 'same' | undefined {
  if (left.length === 0 || right.length === 0 || left.length > 3 || right.length > 3) return undefined
  const reason = `“${textOf(left)}” in one is “${textOf(right)}” in the other.`
  const withUnit = (tokens: readonly Token[]) =>
    amountOf(tokens.length === 1 && after ? [...tokens, after] : tokens)
  const [one, other] = [withUnit(left), withUnit(right)]
  if (
    one &&
    other &&
    one.kind === other.kind &&
    Math.abs(one.amount - other.amount) <= 1e-9 * Math.abs(one.amount)
  )
    return 'same'
  const is = (kind: Token['kind']) => has(left, kind) && has(right, kind)
  if (is('number')) return { rule: 'number', reason }
  if (is('date')) return { rule: 'date', reason }
  if (is('unit')) return { rule: 'unit', reason }
  if (left.every(isName) && right.every(isName))
    return { rule: PLACES.has(before?.key ?? '') ? 'place' : 'name', reason }
  return undefined
}

const has = (tokens: readonly Token[], kind: Token['kind']) => tokens.some(token => token.kind === kind)
const isName = ({ kind }: Token) => kind === 'name'
const textOf = (tokens: readonly Token[]) => tokens.map(({ text }) => text).join(' ')
