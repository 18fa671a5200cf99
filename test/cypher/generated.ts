/** A random query over a graph of memories: as a caller without labels writes it, and so that it means the same where only one tenant is. */
export type Generated = { query: string; plain: string }

type Random = () => number
type Kind = 'node' | 'connection' | 'plain' | 'list'
type Env = readonly (readonly [string, Kind])[]

const TYPES = 'RELATED_TO|CAUSED_BY|PART_OF|REFERENCES|CONTRADICTS|SUPPORTS|SIMILAR_TO|DERIVED_FROM'
const NODE = '§N'
const REL = '§R'

export function generate(random: Random): Generated {
  const text = new Query(random).statement()
  return {
    query: text
      .replaceAll(NODE, () => (random() < 0.3 ? ':Memory' : ''))
      .replaceAll(`[${REL}`, '[')
      .replaceAll(REL, ''),
    plain: text.replaceAll(NODE, ':Memory').replaceAll(REL, `:${TYPES}`),
  }
}

/** Few names, which are used again: most mistakes about what a name means are made where it has two meanings. */
const NAMES = ['a', 'b', 'c', 'x', 'y']

class Query {
  private readonly random: Random
  private depth = 0

  constructor(random: Random) {
    this.random = random
  }

  private chance = (probability: number) => this.random() < probability
  private pick = <T>(values: readonly T[]): T => values[Math.floor(this.random() * values.length)] as T
  private one = (...forms: readonly (() => string)[]) => this.pick(forms)()

  private of(env: Env, kind: Kind): string | undefined {
    const names = env.filter(each => each[1] === kind).map(([name]) => name)
    return names.length > 0 ? this.pick(names) : undefined
  }

  private fresh(env: Env): string {
    const known = new Set(env.map(([name]) => name))
    const names = NAMES.filter(name => !known.has(name))
    return names.length === 0 || this.chance(0.05) ? this.pick(NAMES) : this.pick(names)
  }

  private deeper(shallow: () => string, deep: () => string): string {
    if (this.depth >= 4) return shallow()
    this.depth++
    const text = deep()
    this.depth--
    return text
  }

  statement(): string {
    const first = this.body([])
    return this.chance(0.1) ? `${first} ${this.pick(['UNION', 'UNION ALL'])} ${this.body([])}` : first
  }

  /** Clauses that end with the columns v and w. */
  private body(outer: Env): string {
    const clauses: string[] = []
    let env = outer
    for (let left = 1 + Math.floor(this.random() * 3); left > 0; left--) {
      const [text, after] = this.clause(env, clauses.length === 0)
      clauses.push(text)
      env = after
    }
    const aggregates = this.chance(0.25)
    const second = aggregates
      ? this.pick([
          () => 'count(*)',
          () => `count(DISTINCT ${this.value(env)})`,
          () => `max(${this.number(env)})`,
        ])()
      : this.value(env)
    const first = this.value(env)
    const order = this.chance(0.2)
      ? ` ORDER BY ${this.pick(aggregates ? ['v', 'w'] : ['v', 'w', this.value(env)])}`
      : ''
    return `${clauses.join(' ')} RETURN ${this.chance(0.2) ? 'DISTINCT ' : ''}${first} AS v, ${second} AS w${order.includes('DISTINCT') ? '' : order}`
  }

  private clause(env: Env, isFirst: boolean): [string, Env] {
    const kind = isFirst
      ? this.pick(['match', 'match', 'match', 'unwind', 'call'])
      : this.pick(['match', 'optional', 'with', 'with', 'unwind', 'call', 'let', 'filter'])
    switch (kind) {
      case 'with':
        return this.with(env)
      case 'unwind': {
        const name = this.fresh(env)
        return [`UNWIND ${this.list(env)} AS ${name}`, [...env, [name, 'plain']]]
      }
      case 'let': {
        const name = this.fresh(env)
        return [`LET ${name} = ${this.value(env)}`, [...env, [name, 'plain']]]
      }
      case 'filter':
        return [`FILTER ${this.condition(env)}`, env]
      case 'call':
        return this.call(env)
      default: {
        const [pattern, after] = this.patterns(env)
        const where = this.chance(0.5) ? ` WHERE ${this.condition(after)}` : ''
        return [`${kind === 'optional' ? 'OPTIONAL ' : ''}MATCH ${pattern}${where}`, after]
      }
    }
  }

  private with(env: Env): [string, Env] {
    const node = this.of(env, 'node')
    const kept: Env = node ? [[node, 'node']] : []
    const name = this.chance(0.3) ? this.pick(NAMES) : this.fresh(env)
    const after: Env = [...kept.filter(([each]) => each !== name), [name, 'plain']]
    const value = this.chance(0.2) ? 'count(*)' : this.value(env)
    const items = [...after.slice(0, -1).map(([each]) => each), `${value} AS ${name}`].join(', ')
    const where = this.chance(0.3) ? ` WHERE ${this.condition(after)}` : ''
    const order = this.chance(0.2) ? ` ORDER BY ${name}` : ''
    return [`WITH ${this.chance(0.2) ? 'DISTINCT ' : ''}${items}${order}${where}`, after]
  }

  private call(env: Env): [string, Env] {
    const node = this.of(env, 'node')
    const taken: Env = node && this.chance(0.8) ? [[node, 'node']] : []
    const inner = this.deeper(
      () => 'RETURN 1 AS v, 2 AS w',
      () => (this.chance(0.2) ? `${this.body(taken)} UNION ${this.body(taken)}` : this.body(taken)),
    )
    const names = [this.fresh(env), this.fresh(env)] as const
    const text = `CALL (${taken.map(([name]) => name).join(', ')}) { ${inner} } `
    return names[0] === names[1]
      ? [
          `${text}WITH ${[...env.map(([name]) => name), `v AS ${names[0]}`].join(', ')}`,
          [...env, [names[0], 'plain']],
        ]
      : [
          `${text}WITH ${[...env.map(([name]) => name), `v AS ${names[0]}`, `w AS ${names[1]}`].join(', ')}`,
          [...env, [names[0], 'plain'], [names[1], 'plain']],
        ]
  }

  private patterns(env: Env): [string, Env] {
    const [first, after] = this.pattern(env)
    if (!this.chance(0.15)) return [first, after]
    const [second, later] = this.pattern(after)
    return [`${first}, ${second}`, later]
  }

  private pattern(env: Env): [string, Env] {
    const bound = this.of(env, 'node')
    const start = bound && this.chance(0.6) ? bound : this.fresh(env)
    let after: Env = env.some(([name]) => name === start) ? env : [...env, [start, 'node']]
    let text = this.node(start, env)
    for (let steps = this.pick([0, 1, 1, 1, 2]); steps > 0; steps--) {
      const end = this.chance(0.8) ? this.fresh(after) : ''
      text += this.connection(after) + this.node(end, after)
      if (end !== '' && !after.some(([name]) => name === end)) after = [...after, [end, 'node']]
    }
    return [text, after]
  }

  private node(name: string, env: Env): string {
    const inner = this.pick(['', '', '', ' {kind: "a"}', ' {importance: 0.5}', '§'])
    if (inner !== '§' || name === '') return `(${name}${NODE}${inner === '§' ? '' : inner})`
    return `(${name}${NODE} WHERE ${this.condition([...env.filter(([each]) => each !== name), [name, 'node']])})`
  }

  private connection(_env: Env): string {
    const types = this.chance(0.5) ? REL : `:${this.pick(['SUPPORTS', 'CAUSED_BY', 'SUPPORTS|CAUSED_BY'])}`
    const length = this.pick(['', '', '', '*1..2', '*2'])
    const [left, right] = this.pick([
      ['-', '->'],
      ['<-', '-'],
      ['-', '-'],
    ] as const)
    if (length === '' && this.chance(0.15)) return `${left}[${types}]${right}${this.pick(['{1,2}', '{2}'])}`
    return `${left}[${types}${length}]${right}`
  }

  private property(env: Env): string {
    const name = this.of(env, 'node')
    return name ? `${name}.${this.pick(['importance', 'kind', 'content'])}` : '1'
  }

  private number = (env: Env): string =>
    this.one(
      () => this.pick(['0', '1', '2', '0.5']),
      () => `size(${this.list(env)})`,
      () => (this.of(env, 'node') ? `${this.of(env, 'node')}.importance` : '1'),
      () => this.subquery('COUNT', env),
    )

  private value = (env: Env): string =>
    this.deeper(
      () => this.of(env, 'plain') ?? this.property(env),
      () =>
        this.one(
          () => this.property(env),
          () => this.property(env),
          () => this.of(env, 'plain') ?? '"k"',
          () => this.number(env),
          () => `CASE WHEN ${this.condition(env)} THEN ${this.value(env)} ELSE ${this.value(env)} END`,
          () => `CASE ${this.value(env)} WHEN ${this.value(env)} THEN ${this.value(env)} END`,
          () => this.list(env),
          () => `coalesce(${this.value(env)}, ${this.value(env)})`,
          () => `toString(${this.number(env)})`,
          () => `[${this.value(env)}, ${this.value(env)}][0]`,
          () => `{k: ${this.value(env)}}.k`,
          () => `reduce(${this.accumulated(env)})`,
          () => (this.of(env, 'node') ? `properties(${this.of(env, 'node')}).kind` : '2'),
          () => (this.of(env, 'node') ? `${this.of(env, 'node')} {.kind, k: ${this.value(env)}}.k` : '3'),
          () => (this.of(env, 'node') ? `labels(${this.of(env, 'node')})` : '3'),
          () => `(${this.condition(env)})`,
        ),
    )

  private accumulated(env: Env): string {
    const each = this.fresh(env)
    return `s = 0, ${each} IN ${this.list(env)} | s + ${this.pick(['1', `size(${this.list([...env, [each, 'plain']])})`])}`
  }

  private list = (env: Env): string =>
    this.deeper(
      () => '[1, 2]',
      () =>
        this.one(
          () => (this.of(env, 'node') ? `${this.of(env, 'node')}.tags` : '["x"]'),
          () => `[${this.value(env)}, ${this.value(env)}]`,
          () => this.comprehension(env),
          () => this.subquery('COLLECT', env),
          () => this.patternComprehension(env),
          () => 'range(1, 3)',
        ),
    )

  /** The list is read before its variable is there, and may have a name that this variable takes. */
  private comprehension(env: Env): string {
    const each = this.chance(0.3) ? this.pick(NAMES) : this.fresh(env)
    const isNodes = this.chance(0.4) && this.of(env, 'node')
    const list = isNodes ? `[${isNodes}]` : this.list(env)
    const inner: Env = [...env.filter(([name]) => name !== each), [each, isNodes ? 'node' : 'plain']]
    const where = this.chance(0.5) ? ` WHERE ${this.condition(inner)}` : ''
    return `[${each} IN ${list}${where} | ${this.value(inner)}]`
  }

  private patternComprehension(env: Env): string {
    const from = this.of(env, 'node')
    if (!from) return '["p"]'
    const to = this.fresh(env)
    const inner: Env = [...env.filter(([name]) => name !== to), [to, 'node']]
    return `[(${from})${this.connection(env)}(${to}${NODE})${this.chance(0.3) ? ` WHERE ${this.condition(inner)}` : ''} | ${this.value(inner)}]`
  }

  private subquery(word: 'COUNT' | 'EXISTS' | 'COLLECT', env: Env): string {
    return this.deeper(
      () => ({ COUNT: '0', EXISTS: 'true', COLLECT: '[3]' })[word],
      () => {
        const [pattern, inner] = this.patterns(env)
        const where = this.chance(0.4) ? ` WHERE ${this.condition(inner)}` : ''
        if (word !== 'COLLECT' && this.chance(0.4)) return `${word} { ${pattern}${where} }`
        const later = this.chance(0.2)
          ? ` WITH ${inner.find(([, kind]) => kind === 'node')?.[0] ?? '1'} AS z`
          : ''
        const columns: Env = later ? [...env, ['z', 'node']] : inner
        return `${word} { MATCH ${pattern}${where}${later} RETURN ${this.value(columns)} AS r }`
      },
    )
  }

  private condition = (env: Env): string =>
    this.deeper(
      () => `${this.property(env)} = ${this.pick(['1', '0.5', '"a"'])}`,
      () =>
        this.one(
          () => `${this.number(env)} > ${this.pick(['0', '0.2', '1'])}`,
          () => `${this.property(env)} = ${this.value(env)}`,
          () => `${this.value(env)} IN ${this.list(env)}`,
          () => `${this.value(env)} IS NOT NULL`,
          () => `NOT (${this.condition(env)})`,
          () => `(${this.condition(env)} ${this.pick(['AND', 'OR', 'XOR'])} ${this.condition(env)})`,
          () => this.subquery('EXISTS', env),
          () => this.quantified(env),
          () => (this.of(env, 'node') ? `(${this.of(env, 'node')})${this.connection(env)}(${NODE})` : 'true'),
          () =>
            this.of(env, 'node')
              ? `${this.of(env, 'node')}.content CONTAINS "${this.pick(['1', '2', 'm'])}"`
              : 'true',
        ),
    )

  private quantified(env: Env): string {
    const each = this.chance(0.3) ? this.pick(NAMES) : this.fresh(env)
    const inner: Env = [...env.filter(([name]) => name !== each), [each, 'plain']]
    return `${this.pick(['any', 'all', 'none', 'single'])}(${each} IN ${this.list(env)} WHERE ${this.condition(inner)})`
  }
}
