import { relationshipTypes } from '../../contract/connections.ts'
import { typeInGraph, typesInGraph } from '../../store/neo4j/projections.ts'
import {
  connection,
  type GraphKind,
  type Kind,
  type Label,
  labels,
  listKind,
  nodeOf,
  pathKind,
} from './kinds.ts'
import { isPublic } from './properties.ts'
import { refuse } from './refusal.ts'
import { small, walked } from './sizes.ts'
import type {
  Expression,
  GroupPattern,
  MapEntry,
  NodePattern,
  PathPattern,
  RelationshipPattern,
  Step,
} from './tree.ts'
import { writeExpression } from './write-expressions.ts'
import { count, declared, freshName, type NameScope, TENANT, type Variable, type Writing } from './writing.ts'

/** A node at which the database may begin, with what an index holds of it. */
type Start = { readonly text: string; readonly index: string; readonly isNew: boolean }

type Written = {
  readonly text: string
  readonly scope: NameScope
  readonly hints: string
  readonly conditions: readonly string[]
}

/** The patterns of a MATCH, each bound to the tenant. @throws Refusal */
export function writePatterns(writing: Writing, patterns: readonly PathPattern[], outer: NameScope): Written {
  const inner = patterns.reduce((scope, each) => declarePath(writing, each, scope), outer)
  const known = new Set([...outer.names.values()].map(({ text }) => text))
  const hints: string[] = []
  const conditions: string[] = []
  const texts = patterns.map(each => {
    const path = new Path(writing, inner, known)
    const text = path.write(each)
    hints.push(...path.hints(each))
    conditions.push(...path.conditions)
    return text
  })
  return { text: texts.join(', '), scope: inner, hints: hints.join(''), conditions }
}

/** All names of a path. Within what is repeated a name is one memory or connection, and outside a list of them. */
function declarePath(writing: Writing, { variable, steps, at }: PathPattern, outer: NameScope): NameScope {
  const scope = declareSteps(writing, steps, outer, kind => kind)
  return variable === undefined ? scope : declare(writing, scope, { name: variable, kind: pathKind, at })
}

function declareSteps(
  writing: Writing,
  steps: readonly Step[],
  outer: NameScope,
  repeated: (kind: Kind) => Kind,
): NameScope {
  return steps.reduce((scope, step) => {
    if (step.is === 'group') {
      if (step.variable !== undefined) refuse(step.at, 'name the whole path, not a part of it')
      return declareSteps(writing, step.steps, scope, step.quantifier ? listKind : repeated)
    }
    if (step.variable === undefined) return scope
    const kind = step.is === 'node' ? nodeOf(labelOf(step, scope)) : connection
    const isRepeated =
      step.is === 'relationship' && (step.length !== undefined || step.quantifier !== undefined)
    return declare(writing, scope, {
      name: step.variable,
      at: step.at,
      kind: isRepeated ? listKind(kind) : repeated(kind),
    })
  }, outer)
}

function declare(
  writing: Writing,
  scope: NameScope,
  { name, kind, at }: { name: string; kind: Kind; at: number },
): NameScope {
  const known = scope.names.get(name)
  if (!known) {
    const size = kind.is === 'list' || kind.is === 'path' ? walked : small
    return declared(scope, [[name, { text: freshName(writing, name), kind, size }]])
  }
  if (known.kind.is === kind.is && (kind.is === 'node' || kind.is === 'connection')) return scope
  return refuse(at, `${name} is something else already`)
}

function labelOf({ label, variable, at }: NodePattern, { names }: NameScope): Label {
  const known = variable === undefined ? undefined : names.get(variable)?.kind
  const before = known?.is === 'node' ? known.label : undefined
  const written = label === undefined ? undefined : labels.find(each => each === label)
  if (label !== undefined && !written)
    return refuse(at, 'a node is a Memory or a Recall, with one label and no other')
  if (before && written && before !== written) refuse(at, `${variable} is a ${before}`)
  return written ?? before ?? 'Memory'
}

/** One path while it is written. */
class Path {
  readonly conditions: string[] = []
  private readonly starts: Start[] = []
  private readonly writing: Writing
  private readonly scope: NameScope
  private readonly known: ReadonlySet<string>

  constructor(writing: Writing, scope: NameScope, known: Set<string>) {
    this.writing = writing
    this.scope = scope
    this.known = known
  }

  write(path: PathPattern): string {
    const { variable, selector, shortest, steps } = path
    const own = variable === undefined ? shortest && freshName(this.writing, 'path') : this.textOf(variable)
    const inner = this.steps(steps, { scope: this.scope, repeated: false, shortest: shortest !== undefined })
    if (this.starts.every(({ isNew }) => isNew)) count(this.writing, 'apart', path.at)
    if (shortest) this.bindShortest(own as string)
    for (const { text } of this.starts) (this.known as Set<string>).add(text)
    const text = shortest ? `${shortest}(${inner})` : inner
    return `${own ? `${own} = ` : ''}${selector ? `${selector} ` : ''}${text}`
  }

  /** The form of old takes no properties: its connections are of the tenant by a condition. */
  private bindShortest(path: string): void {
    const each = freshName(this.writing, 'each')
    this.conditions.push(`all(${each} IN relationships(${path}) WHERE ${each}.tenant = ${TENANT})`)
  }

  /** Without SEEK Neo4j may scan an index, which begins at all tenants. A search for the shortest path begins at both ends. */
  hints({ selector, shortest }: PathPattern): string[] {
    if (!this.writing.hints) return []
    const fromBoth = shortest !== undefined || (selector !== undefined && selector !== 'ALL')
    const isBound = this.starts.some(({ isNew }) => !isNew)
    const ends = fromBoth ? [this.starts[0], this.starts.at(-1)] : isBound ? [] : [this.best()]
    return [...new Set(ends)].flatMap(each =>
      each?.isNew ? [` USING INDEX SEEK ${each.text}:${each.index}`] : [],
    )
  }

  private best = () => this.starts.find(({ index }) => index.includes('id')) ?? this.starts[0]

  private textOf = (name: string) => (this.scope.names.get(name) as Variable).text

  private steps(
    steps: readonly Step[],
    place: { scope: NameScope; repeated: boolean; shortest: boolean },
  ): string {
    return steps
      .map(step => {
        if (step.is === 'node') return this.node(step, place)
        if (step.is === 'relationship') return this.relationship(step, place)
        return this.group(step, place)
      })
      .join('')
  }

  private group(
    group: GroupPattern,
    { scope, shortest }: { scope: NameScope; repeated: boolean; shortest: boolean },
  ): string {
    const single = group.quantifier ? this.asSingle(group.steps, scope) : scope
    const steps = this.steps(group.steps, {
      scope: single,
      repeated: group.quantifier !== undefined,
      shortest,
    })
    const where = group.where ? ` WHERE ${this.condition(group.where, single)}` : ''
    return `(${steps}${where})${group.quantifier ?? ''}`
  }

  /** Names within what is repeated. */
  private asSingle(steps: readonly Step[], scope: NameScope): NameScope {
    const names = steps.flatMap(step => {
      if (step.is === 'group' || step.variable === undefined) return []
      const known = scope.names.get(step.variable) as Variable
      const kind = known.kind.is === 'list' ? known.kind.of : known.kind
      return [[step.variable, { ...known, kind, size: small }] as const]
    })
    return declared(scope, names)
  }

  private condition = (tree: Expression, scope: NameScope) => writeExpression(this.writing, tree, scope).text

  private node(node: NodePattern, { scope, repeated }: { scope: NameScope; repeated: boolean }): string {
    count(this.writing, 'nodes', node.at)
    const label = labelOf(node, scope)
    const text = node.variable === undefined ? freshName(this.writing, 'n') : this.textOf(node.variable)
    const entries = this.entries(node.entries, nodeOf(label), scope)
    const where = node.where && this.condition(node.where, scope)
    const conditions = [...(where ? [where] : []), ...(label === 'Recall' ? [`${text}.at IS NOT NULL`] : [])]
    if (label === 'Recall') this.bindRecall(text)
    const index = `${label}(${indexOf(label, node.entries)})`
    if (!repeated) this.starts.push({ text, index, isNew: !this.known.has(text) })
    return `(${text}:${label} {tenant: ${TENANT}${entries}}${conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''})`
  }

  /** A recall is seen as long as its memory is. */
  private bindRecall(text: string): void {
    const memory = freshName(this.writing, 'm')
    this.conditions.push(
      `EXISTS { MATCH (${memory}:Memory {tenant: ${TENANT}, id: ${text}.memoryId}) USING INDEX SEEK ${memory}:Memory(tenant, id) }`,
    )
  }

  private entries(entries: readonly MapEntry[], kind: GraphKind, scope: NameScope): string {
    return entries
      .map(({ name, value, at }) => {
        if (name === 'tenant') refuse(at, 'a pattern may not name the tenant: it is always yours')
        if (!isPublic(kind, name)) refuse(at, `there is no public property ${name}`)
        return `, ${name}: ${writeExpression(this.writing, value, { ...scope, queries: false }).text}`
      })
      .join('')
  }

  private relationship(
    step: RelationshipPattern,
    { scope, shortest }: { scope: NameScope; shortest: boolean },
  ): string {
    const { left, right, length = '', quantifier = '', where, at } = step
    if (shortest && (step.entries.length > 0 || where))
      refuse(at, 'a shortest path takes no conditions here: use SHORTEST 1')
    const isRepeated = length !== '' || quantifier !== ''
    const own = isRepeated ? this.asSingle([step], scope) : scope
    const name = step.variable === undefined ? '' : this.textOf(step.variable)
    const types = step.types.length > 0 ? step.types.map(type => typeOf(type, at)).join('|') : typesInGraph()
    const properties = shortest ? '' : ` {tenant: ${TENANT}${this.entries(step.entries, connection, own)}}`
    const condition = where ? ` WHERE ${this.condition(where, own)}` : ''
    return `${left ? '<' : ''}-[${name}:${types}${length}${properties}${condition}]-${right ? '>' : ''}${quantifier}`
  }
}

const TYPES: ReadonlySet<string> = new Set(relationshipTypes.map(typeInGraph))

function typeOf(name: string, at: number): string {
  if (!TYPES.has(name)) refuse(at, `${name} is no type of connection; there are ${[...TYPES].join(', ')}`)
  return name
}

function indexOf(label: Label, entries: readonly MapEntry[]): string {
  const names = entries.map(({ name }) => name)
  if (label === 'Recall') return names.includes('memoryId') ? 'tenant, memoryId' : 'tenant, at'
  return names.includes('id') ? 'tenant, id' : 'tenant'
}
