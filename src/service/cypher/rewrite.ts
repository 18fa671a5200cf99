import { typesInGraph } from '../../store/neo4j/projections.ts'
import { parseCypher, type Tree } from './grammar.ts'
import { Insertions } from './insertions.ts'
import {
  INDEXES,
  isNamed,
  type Label,
  labelOf,
  type Names,
  nameOf,
  namesOf,
  OWN,
  otherThan,
  part,
  parts,
  refusal,
  refuseOtherCalls,
  refuseOtherTypes,
  subtrees,
  token,
  transparent,
  where,
  wrapping,
} from './parts.ts'
import { Refusal } from './refusal.ts'

/** Which nodes of each pattern get a hint to begin at the index of the tenant. */
export type Hints = 'none' | 'first' | 'ends'

const MOST_NODES = 24
/** Neo4j does not count the memory of texts and lists that an expression makes: what multiplies them is bounded here. */
const MOST_SUMS = 8
const MOST_NESTED = 2

/**
 * The same query over the graph of one tenant, with each way to give hints: each node of a pattern is bound to `$tenant`, and each relationship to the
 * eight types of connections, which never leave a tenant. What is not known to be safe is refused.
 * @throws Refusal
 */
export function rewriteForTenant(query: string, ways: readonly Hints[]): string[] {
  const tree = parseCypher(query)
  return ways.map(hints => {
    const rewriting = new Rewriting(hints)
    rewriting.statements(tree)
    return rewriting.apply(query)
  })
}

/** A node of a pattern that no earlier part binds. */
type Start = { name: string; label: Label }

class Rewriting extends Insertions {
  private nodes = 0
  private fresh = 0
  private sums = 0
  private nesting = 0
  private readonly hints: Hints

  constructor(hints: Hints) {
    super()
    this.hints = hints
  }

  statements(tree: Tree): void {
    const [statement, ...more] = parts(tree, 'statement')
    if (!statement || more.length > 0) throw new Refusal('Send one statement.')
    const query = part(statement, 'queryWithLocalDefinitions')
    if (!query) throw new Refusal('This only reads the graph, and the query is a command.')
    this.query(query, new Set())
  }

  /** Returns the names that it returns. */
  private query(tree: Tree, bound: Names): Names {
    const [next, ...others] = tree.children
    const [regular, ...more] = next?.children ?? []
    const union = regular && part(regular, 'union')
    if (!next || others.length > 0 || more.length > 0 || !union)
      throw refusal(others[0] ?? more[0] ?? regular ?? tree)
    const returned = parts(union, 'singleQuery').map(each => this.single(each, bound))
    return returned[0] ?? new Set()
  }

  private single(tree: Tree, outer: Names): Names {
    let bound: Names = outer
    let returned: Names = new Set()
    for (const each of tree.children) {
      if (each.rule !== 'clause') throw refusal(each)
      const clause = each.children[0] as Tree
      if (clause.rule === 'returnClause') returned = namesOf(clause, bound)
      bound = this.clause(clause, bound)
    }
    return returned
  }

  private clause(tree: Tree, bound: Names): Names {
    switch (tree.rule) {
      case 'matchClause':
        return this.match(tree, bound)
      case 'subqueryClause':
        return this.subquery(tree, bound)
      case 'withClause': {
        const names = namesOf(tree, bound)
        this.parts(tree, new Set([...bound, ...names]))
        return names
      }
      case 'returnClause':
      case 'filterClause':
      case 'orderBySkipLimitClause':
        this.parts(tree, bound)
        return bound
      case 'unwindClause':
      case 'forListClause':
        this.parts(tree, bound)
        return new Set([...bound, ...parts(tree, 'variable').map(nameOf)])
      case 'letClause':
        this.parts(tree, bound)
        return new Set([
          ...bound,
          ...parts(tree, 'letItem').flatMap(item => parts(item, 'variable').map(nameOf)),
        ])
      default:
        throw refusal(tree)
    }
  }

  private subquery(tree: Tree, bound: Names): Names {
    const query = part(tree, 'queryWithLocalDefinitions')
    const scope = part(tree, 'subqueryScope')
    const other = otherThan(tree, 'queryWithLocalDefinitions', 'subqueryScope')
    if (!query || other) throw refusal(other ?? tree)
    const named = scope && (token(scope, 'TIMES') ? bound : new Set(parts(scope, 'variable').map(nameOf)))
    const inner = named ?? (/^with/i.test(query.text) ? bound : new Set<string>())
    return new Set([...bound, ...this.query(query, inner)])
  }

  private match(tree: Tree, bound: Names): Names {
    const other = otherThan(tree, 'patternList', 'whereClause', 'matchMode')
    const patterns = part(tree, 'patternList')
    if (other || !patterns) throw refusal(other ?? tree)
    const { names, starts } = this.patterns(patterns, bound)
    this.hint(patterns, starts)
    const where = part(tree, 'whereClause')
    if (where) this.parts(where, names)
    return names
  }

  private hint({ to }: Tree, starts: readonly Start[]): void {
    if (this.hints === 'none') return
    const texts = starts.map(({ name, label }) => ` USING INDEX ${name}:${label}(${INDEXES[label]})`)
    if (texts.length > 0) this.insert(to, texts.join(''))
  }

  private patterns(list: Tree, outer: Names): { names: Names; starts: Start[] } {
    let names = outer
    const starts: Start[] = []
    for (const pattern of parts(list, 'pattern')) {
      starts.push(...this.pattern(pattern, names, true))
      names = new Set([...names, ...subtrees(pattern, 'variable').map(nameOf)])
    }
    return { names, starts }
  }

  /** Binds a pattern to the tenant. Returns the nodes at which it may begin, where nothing binds one of them before. */
  private pattern(tree: Tree, bound: Names, named: boolean): Start[] {
    const names: Names = new Set([...bound, ...subtrees(tree, 'variable').map(nameOf)])
    const starts: Start[] = []
    let isBound = false
    const visit = (each: Tree, repeated: boolean): void => {
      if (each.rule === 'nodePattern') {
        const isKnown = isNamed(each, bound)
        isBound ||= isKnown && !repeated
        const start = this.node(each, names, { named: named && !repeated && !isKnown, isKnown })
        if (start) starts.push(start)
      } else if (each.rule === 'relationshipPattern') this.relationship(each, names)
      else if (wrapping.has(each.rule ?? ''))
        for (const inner of each.children) visit(inner, repeated || part(each, 'quantifier') !== undefined)
      else this.expression(each, names)
    }
    visit(tree, false)
    return this.chosen(starts, isBound, tree)
  }

  /** A search for the shortest path may begin at both ends. */
  private chosen(starts: readonly Start[], isBound: boolean, { text }: Tree): Start[] {
    const both = this.hints === 'ends'
    if (isBound && !(both && /^(\w+=)?(shortest|allshortest)/i.test(text))) return []
    return starts.filter((_, at) => at === 0 || (both && at === starts.length - 1))
  }

  /** In a MATCH a node gets a name, so that a hint can name it. */
  private node(
    tree: Tree,
    names: Names,
    { named, isKnown }: { named: boolean; isKnown: boolean },
  ): Start | undefined {
    if (++this.nodes > MOST_NODES) throw new Refusal(`A query may have ${MOST_NODES} nodes in its patterns.`)
    const open = tree.children[0] as Tree
    const variable = part(tree, 'variable')
    const written = part(tree, 'labelExpression')
    const label = written ? labelOf(written) : 'Memory'
    const name = variable?.text ?? (named ? `${OWN}${++this.fresh}` : '')
    const at = written?.to ?? variable?.to ?? open.to
    if (!variable) this.insert(open.to, name)
    if (!written && !isKnown) this.insert(at, `:${label}`)
    this.bindToTenant(part(tree, 'properties'), at, names)
    if (named && label === 'Recall') this.nameTime(tree, name)
    const condition = part(tree, 'expression')
    if (condition) this.expression(condition, names)
    return named ? { name, label } : undefined
  }

  private bindToTenant(properties: Tree | undefined, end: number, names: Names): void {
    if (!properties) {
      this.insert(end, ' {tenant: $tenant}')
      return
    }
    const map = part(properties, 'map')
    if (!map) throw new Refusal('Write the properties of a node one by one, not as a parameter.')
    const keys = parts(map, 'propertyKeyName').map(nameOf)
    if (keys.includes('tenant')) throw new Refusal('A pattern may not name `tenant`: it is always yours.')
    this.insert((map.children[0] as Tree).to, keys.length > 0 ? 'tenant: $tenant, ' : 'tenant: $tenant')
    this.parts(map, names)
  }

  /** The index of recalls is used where both of its properties are named. */
  private nameTime(tree: Tree, name: string): void {
    const close = (tree.children.at(-1) as Tree).from
    const written = token(tree, 'WHERE')
    if (!written) {
      this.insert(close, ` WHERE ${name}.at IS NOT NULL`)
      return
    }
    this.insert(written.to, ` ${name}.at IS NOT NULL AND (`)
    this.insert(close, ')')
  }

  private relationship(tree: Tree, names: Names): void {
    const written = part(tree, 'labelExpression')
    const types = `:${typesInGraph()}`
    if (!token(tree, 'LBRACKET')) this.insert((part(tree, 'arrowLine') as Tree).to, `[${types}]`)
    else if (written) refuseOtherTypes(written)
    else this.insert(part(tree, 'variable')?.to ?? (token(tree, 'LBRACKET') as Tree).to, types)
    const properties = part(tree, 'properties')
    if (properties && !part(properties, 'map'))
      throw new Refusal('Write the properties of a connection one by one, not as a parameter.')
    for (const each of tree.children)
      if (each === properties) this.parts(part(properties, 'map') as Tree, names)
      else if (each !== written && each.rule !== 'variable') this.expression(each, names)
  }

  private parts(tree: Tree, bound: Names): void {
    for (const each of tree.children) this.expression(each, bound)
  }

  private expression(tree: Tree, bound: Names): void {
    switch (tree.rule) {
      case null:
        return
      case 'existsExpression':
      case 'countExpression':
      case 'collectExpression':
        this.nested(tree, bound)
        return
      case 'patternExpression':
      case 'shortestPathExpression':
        this.fromBound(tree, bound)
        return
      case 'patternComprehension': {
        const path = part(tree, 'pathPatternNonEmpty') as Tree
        this.fromBound(path, bound)
        const names = new Set([...bound, ...subtrees(tree, 'variable').map(nameOf)])
        for (const each of parts(tree, 'expression')) this.expression(each, names)
        return
      }
      case 'listComprehension':
      case 'listItemsPredicate':
        if (++this.nesting > MOST_NESTED) throw new Refusal(`Lists may be made in ${MOST_NESTED} levels.`)
        this.parts(tree, new Set([...bound, ...parts(tree, 'variable').map(nameOf)]))
        this.nesting--
        return
      case 'expression6':
        this.sums += tree.children.filter(each => each.token === 'PLUS' || each.token === 'DOUBLEBAR').length
        if (this.sums > MOST_SUMS) throw new Refusal(`A query may have ${MOST_SUMS} sums of values.`)
        this.parts(tree, bound)
        return
      case 'functionInvocation':
        refuseOtherCalls(tree)
        this.parts(tree, bound)
        return
      case 'variable':
      case 'propertyKeyName':
        nameOf(tree)
        return
      case 'parameter':
        if (tree.text.includes('`')) throw refusal(tree)
        return
      default:
        if (!transparent.has(tree.rule)) throw refusal(tree)
        this.parts(tree, bound)
        return
    }
  }

  /** EXISTS, COUNT or COLLECT with a query or with patterns alone. */
  private nested(tree: Tree, bound: Names): void {
    const query = part(tree, 'queryWithLocalDefinitions')
    const patterns = part(tree, 'patternList')
    if (query) this.query(query, bound)
    if (!patterns) return
    const { names, starts } = this.patterns(patterns, bound)
    if (starts.length > 0 && this.hints !== 'none') {
      this.insert(patterns.from, 'MATCH ')
      this.hint(patterns, starts)
    }
    this.parts({ ...tree, children: parts(tree, 'whereClause') }, names)
  }

  /** A pattern where no hint can stand must begin at what is bound. */
  private fromBound(tree: Tree, bound: Names): void {
    if (!subtrees(tree, 'nodePattern').some(node => isNamed(node, bound)))
      throw new Refusal(`${where(tree)}: begin the pattern at a variable that MATCH has bound.`)
    this.pattern(tree, bound, false)
  }
}
