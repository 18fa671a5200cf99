import { readFileSync } from 'node:fs'
import {
  type ANTLRErrorListener,
  ATNDeserializer,
  BaseErrorListener,
  CharStream,
  CommonTokenStream,
  LexerInterpreter,
  ParserInterpreter,
  type ParserRuleContext,
  TerminalNode,
  Vocabulary,
} from 'antlr4ng'
import { Refusal } from './refusal.ts'

/** A part of a query: a rule of Neo4j's grammar, or a token where it has no rule. Places count code points, the end exclusive. */
export type Tree = {
  readonly rule: string | null
  readonly token: string | null
  readonly text: string
  readonly from: number
  readonly to: number
  readonly children: readonly Tree[]
}

type Grammar = ReturnType<typeof readGrammar>

/** The grammar that Neo4j publishes, compiled by ANTLR: schema/cypher/README.md says how. */
function readGrammar(name: string) {
  const text = readFileSync(new URL(`../../../schema/cypher/${name}.interp`, import.meta.url), 'utf8')
  const sections = new Map(
    text.split(/\n\n+/).map(section => {
      const [title = '', ...lines] = section.trim().split('\n')
      return [title.slice(0, -1), lines] as const
    }),
  )
  const names = (section: string) =>
    (sections.get(section) ?? []).map(each => (each === 'null' ? null : each))
  return {
    rules: sections.get('rule names') ?? [],
    channels: sections.get('channel names') ?? [],
    modes: sections.get('mode names') ?? [],
    vocabulary: new Vocabulary(names('token literal names'), names('token symbolic names'), []),
    atn: new ATNDeserializer().deserialize(JSON.parse((sections.get('atn') ?? []).join(''))),
  }
}

let grammars: { lexer: Grammar; parser: Grammar } | undefined

const DEEPEST = 24

/** Neo4j reads `\u0027` as a quote before it parses. Deep nesting costs the parser more than it is worth. */
function refuseWhatHides(query: string): void {
  if (/\\u/i.test(query)) throw new Refusal('Write characters as they are, without \\u.')
  let depth = 0
  for (const each of query) {
    if ('([{'.includes(each)) depth++
    if (')]}'.includes(each)) depth--
    if (depth > DEEPEST) throw new Refusal(`Brackets may nest ${DEEPEST} deep.`)
  }
}

/** @throws Refusal where the query is not Cypher, or cannot be read safely */
export function parseCypher(query: string): Tree {
  refuseWhatHides(query)
  grammars ??= { lexer: readGrammar('Cypher25Lexer'), parser: readGrammar('Cypher25Parser') }
  const { lexer: words, parser: grammar } = grammars
  const chars = CharStream.fromString(query)
  const lexer = new LexerInterpreter(
    'Cypher25',
    words.vocabulary,
    words.rules,
    words.channels,
    words.modes,
    words.atn,
    chars,
  )
  const parser = new ParserInterpreter(
    'Cypher25',
    words.vocabulary,
    grammar.rules,
    grammar.atn,
    new CommonTokenStream(lexer),
  )
  for (const each of [lexer, parser]) {
    each.removeErrorListeners()
    each.addErrorListener(refusing)
  }
  return treeOf(parser.parse(grammar.rules.indexOf('statements')), grammar, words.vocabulary)
}

const refusing: ANTLRErrorListener = Object.assign(new BaseErrorListener(), {
  syntaxError(_source: unknown, _token: unknown, line: number, column: number, message: string) {
    throw new Refusal(`Line ${line}, column ${column + 1}: ${message.slice(0, 200)}.`)
  },
})

function treeOf(context: ParserRuleContext, grammar: Grammar, vocabulary: Vocabulary): Tree {
  const children = (context.children ?? []).map(each => {
    if (!(each instanceof TerminalNode)) return treeOf(each as ParserRuleContext, grammar, vocabulary)
    const { type, start, stop, text } = each.symbol
    const token = vocabulary.getSymbolicName(type)
    return { rule: null, token, text: text ?? '', from: start, to: stop + 1, children: [] }
  })
  // A rule that may be empty, such as the namespace of a function, has no place.
  const filled = children.filter(({ to }) => to > 0)
  const first = filled[0]
  const last = filled.at(-1)
  return {
    rule: grammar.rules[context.ruleIndex] ?? '',
    token: null,
    text: children.map(({ text }) => text).join(''),
    from: first?.from ?? 0,
    to: last?.to ?? 0,
    children,
  }
}
