import { typesInGraph } from '../../store/neo4j/projections.ts'
import type { Tree } from './grammar.ts'
import { Insertions } from './insertions.ts'
import {
  INDEXES,
  isNamed,
  type Label,
  labelOf,
  type Names,
  nameOf,
  OWN,
  part,
  parts,
  refuseOtherTypes,
  subtrees,
  token,
  wrapping,
} from './parts.ts'
import { Refusal } from './refusal.ts'

/** Which nodes of each pattern get a hint to begin at the index of the tenant. */
export type Hints = 'none' | 'first' | 'ends'

const MOST_NODES = 24

/** A node of a pattern that no earlier part binds. */
type Start = { name: string; label: Label }

/** Binds patterns to the tenant. What is not known to be safe is refused. */
export abstract class PatternRewriting extends Insertions {
  private nodes = 0
  private fresh = 0
  protected readonly hints: Hints

  constructor(hints: Hints) {
    super()
    this.hints = hints
  }

  protected abstract expression(tree: Tree, bound: Names): void

  protected parts(tree: Tree, bound: Names): void {
    for (const each of tree.children) this.expression(each, bound)
  }

  /** Without SEEK Neo4j may scan the index, which begins at all tenants. */
  protected hint({ to }: Tree, starts: readonly Start[]): void {
    if (this.hints === 'none') return
    const texts = starts.map(({ name, label }) => ` USING INDEX SEEK ${name}:${label}(${INDEXES[label]})`)
    if (texts.length > 0) this.insert(to, texts.join(''))
  }

  protected patterns(list: Tree, outer: Names): { names: Names; starts: Start[] } {
    let names = outer
    const starts: Start[] = []
    for (const pattern of parts(list, 'pattern')) {
      starts.push(...this.pattern(pattern, names, true))
      names = new Set([...names, ...subtrees(pattern, 'variable').map(nameOf)])
    }
    return { names, starts }
  }

  /** Binds a pattern to the tenant. Returns the nodes at which it may begin, where nothing binds one of them before. */
  protected pattern(tree: Tree, bound: Names, named: boolean): Start[] {
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
}
