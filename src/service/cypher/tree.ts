/** A query as it was read. Places count UTF-16 units. */
export type Placed = { readonly at: number }

export type Expression = Placed &
  (
    | { readonly is: 'number'; readonly text: string }
    | { readonly is: 'string'; readonly value: string }
    | { readonly is: 'word'; readonly word: 'true' | 'false' | 'null' }
    | { readonly is: 'parameter'; readonly name: string }
    | { readonly is: 'variable'; readonly name: string }
    | { readonly is: 'property'; readonly of: Expression; readonly name: string }
    | { readonly is: 'label'; readonly of: Expression; readonly name: string }
    | { readonly is: 'item'; readonly of: Expression; readonly index: Expression }
    | {
        readonly is: 'slice'
        readonly of: Expression
        readonly from: Expression | undefined
        readonly to: Expression | undefined
      }
    | { readonly is: 'list'; readonly items: readonly Expression[] }
    | { readonly is: 'map'; readonly entries: readonly MapEntry[] }
    | {
        readonly is: 'projection'
        readonly of: Expression
        readonly all: boolean
        readonly entries: readonly MapEntry[]
      }
    | { readonly is: 'not' | 'minus' | 'isNull' | 'isNotNull'; readonly of: Expression }
    | { readonly is: 'joined'; readonly operators: readonly string[]; readonly parts: readonly Expression[] }
    | Case
    | Comprehension
    | Quantified
    | Reduced
    | Call
    | { readonly is: 'countAll' }
    | Subquery
  )

export type MapEntry = Placed & { readonly name: string; readonly value: Expression }
export type Case = {
  readonly is: 'case'
  readonly of: Expression | undefined
  readonly whens: readonly { readonly when: Expression; readonly value: Expression }[]
  readonly otherwise: Expression | undefined
}
export type Comprehension = {
  readonly is: 'comprehension'
  readonly variable: string
  readonly list: Expression
  readonly where: Expression | undefined
  readonly value: Expression | undefined
}
export type Quantified = {
  readonly is: 'quantified'
  readonly word: string
  readonly variable: string
  readonly list: Expression
  readonly where: Expression
}
export type Reduced = {
  readonly is: 'reduced'
  readonly sum: string
  readonly start: Expression
  readonly variable: string
  readonly list: Expression
  readonly value: Expression
}
export type Call = {
  readonly is: 'call'
  readonly name: string
  readonly distinct: boolean
  readonly given: readonly Expression[]
}
export type Subquery = {
  readonly is: 'subquery'
  readonly word: 'EXISTS' | 'COUNT' | 'COLLECT'
  readonly query: CypherQuery
}

export type NodePattern = Placed & {
  readonly is: 'node'
  readonly variable: string | undefined
  readonly label: string | undefined
  readonly entries: readonly MapEntry[]
  readonly where: Expression | undefined
}
export type RelationshipPattern = Placed & {
  readonly is: 'relationship'
  readonly variable: string | undefined
  readonly types: readonly string[]
  readonly left: boolean
  readonly right: boolean
  /** How often it is repeated: `*1..3` of the older form, which stands inside the brackets. */
  readonly length: string | undefined
  readonly quantifier: string | undefined
  readonly entries: readonly MapEntry[]
  readonly where: Expression | undefined
}
export type GroupPattern = Placed & {
  readonly is: 'group'
  readonly variable: string | undefined
  readonly steps: readonly Step[]
  readonly where: Expression | undefined
  readonly quantifier: string | undefined
}
export type Step = NodePattern | RelationshipPattern | GroupPattern
export type PathPattern = Placed & {
  readonly variable: string | undefined
  /** `SHORTEST 2` and the like. */
  readonly selector: string | undefined
  readonly shortest: 'shortestPath' | 'allShortestPaths' | undefined
  readonly steps: readonly Step[]
}

export type Item = Placed & {
  readonly value: Expression
  readonly name: string | undefined
  readonly text: string
}
export type Paging = {
  readonly order: readonly { readonly value: Expression; readonly descending: boolean }[]
  readonly skip: Expression | undefined
  readonly limit: Expression | undefined
}
export type Projection = Paging & {
  readonly distinct: boolean
  readonly all: boolean
  readonly items: readonly Item[]
}
export type Clause = Placed &
  (
    | {
        readonly is: 'match'
        readonly optional: boolean
        readonly patterns: readonly PathPattern[]
        readonly where: Expression | undefined
      }
    | ({ readonly is: 'with'; readonly where: Expression | undefined } & Projection)
    | ({ readonly is: 'return' } & Projection)
    | { readonly is: 'unwind'; readonly list: Expression; readonly variable: string }
    | { readonly is: 'let'; readonly items: readonly (Placed & { name: string; value: Expression })[] }
    | { readonly is: 'filter'; readonly where: Expression }
    | ({ readonly is: 'page' } & Paging)
    | {
        readonly is: 'call'
        readonly optional: boolean
        readonly takes: readonly (Placed & { name: string })[] | 'all'
        readonly query: CypherQuery
      }
  )
export type CypherQuery = Placed & {
  readonly parts: readonly (readonly Clause[])[]
  /** Between the parts. */
  readonly union: 'UNION' | 'UNION ALL'
}
