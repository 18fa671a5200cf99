import { parseCypher, type Tree } from './grammar.ts'
import {
  isNamed,
  type Names,
  nameOf,
  namesOf,
  otherThan,
  part,
  parts,
  refusal,
  refuseOtherCalls,
  subtrees,
  token,
  transparent,
  where,
} from './parts.ts'
import { type Hints, PatternRewriting } from './patterns.ts'
import { Refusal } from './refusal.ts'

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

class Rewriting extends PatternRewriting {
  private sums = 0
  private nesting = 0

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

  protected override expression(tree: Tree, bound: Names): void {
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
