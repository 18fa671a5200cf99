import { seededRandom } from '../../tools/seeded-random.ts'
import { docComments, packageFiles, paragraphs, plain, sentences } from './packages.ts'
import { relevanceSet } from './questions.ts'

type Pair = { query: string; answer: string }

/** Questions, each with the one memory that answers it, by its place among the memories. */
export type Query = { readonly text: string; readonly answer: number }
export type Part = 'tuning' | 'held-out' | 'asked before' | 'unseen'

export type EvaluationSet = {
  readonly name: string
  readonly about: string
  readonly memories: readonly string[]
  readonly queries: Readonly<Partial<Record<Part, readonly Query[]>>>
}

const QUERIES = 100
/** A set has no more memories: those that are asked for, then others. */
const MEMORIES = 1_000
const SEED = 7

/** The sets that the search was tuned with; of each a part was held out. */
export const knownSets = (): EvaluationSet[] => [headings(), symbols(), neighbours()]

/** The sets with which no rule was chosen. */
export const otherSets = (): EvaluationSet[] => [summaries(), descriptions(), paraphrases()]

/** Questions that share few words, or none, with their answer. */
function paraphrases(): EvaluationSet {
  const { about, memories, questions } = relevanceSet()
  const asked = [...questions.tuning, ...questions['held-out']]
  const queries = asked.flatMap(({ text, answer }) => (answer === undefined ? [] : [{ text, answer }]))
  return { name: 'paraphrases', about, memories, queries: { 'asked before': queries } }
}

const readmes = () => packageFiles(['*/README.md', '@*/*/README.md', '*/readme.md'])

/** Sections of READMEs, asked for by heading and package; the heading is not in the memory. */
function headings(): EvaluationSet {
  const sections = readmes().flatMap(sectionsOf)
  const random = seededRandom(SEED)
  const pairs = sections.map(({ heading, name, text }) => ({
    query: phrase(random, heading, name),
    answer: text,
  }))
  return assemble('headings', {
    about:
      'A question made of the heading of a README section and the name of its package; neither heading nor path is in the memory.',
    pairs,
    others: [],
  })
}

const phrasings = [
  (what: string, of: string) => `How does ${of} handle ${what}?`,
  (what: string, of: string) => `What do I have to know about ${what} in ${of}?`,
  (what: string, of: string) => `Where did we see ${what} for ${of}?`,
  (what: string, of: string) => `${what} ${of}`,
]

function phrase(random: () => number, what: string, of: string): string {
  const make = phrasings[Math.floor(random() * phrasings.length)] as (typeof phrasings)[number]
  return make(what, of)
}

function sectionsOf({ package: name, text }: { package: string; text: string }) {
  const withoutCode = text.replaceAll(/^ {0,3}(```+|~~~+)[\s\S]*?^ {0,3}\1\s*$/gm, '')
  return withoutCode
    .split(/^(?=#{2,4} )/m)
    .slice(1)
    .flatMap(part => {
      const end = part.indexOf('\n')
      const heading = plain(part.slice(0, end))
        .replaceAll(/^#+|[#`*:?]/g, '')
        .trim()
      const body = paragraphs(plain(part.slice(end))).join('\n\n')
      const usable =
        heading.length > 3 && heading.length < 80 && body.length > 120 && !/licen[cs]e/i.test(heading)
      return usable ? [{ heading, name: name.replace(/^@/, ''), text: body.slice(0, 2_000) }] : []
    })
}

/** Descriptions of the browser's interfaces, asked for by the words of which the symbol's name is made. */
function symbols(): EvaluationSet {
  const files = packageFiles('@typescript/typescript-*/lib/lib.dom.d.ts')
  const random = seededRandom(SEED + 1)
  const pairs = docComments(files[0]?.text ?? '').flatMap(({ prose, links }) => {
    const [, owner, symbol] = /Web\/API\/(\w+)\/(\w+)$/.exec(links[0] ?? '') ?? []
    const answer = prose.replace(/\s*MDN Reference.*$/s, '').replace(/^(The )?`[^`]+`/, 'This')
    if (owner === undefined || symbol === undefined || answer.length < 80) return []
    return [{ query: phrase(random, words(symbol), words(owner)), answer }]
  })
  return assemble('symbols', {
    about:
      'A question made of the words in the name of a member of a browser interface asks for its description, which does not begin with the name.',
    pairs,
    others: [],
  })
}

const words = (name: string) =>
  name
    .replace(/_event$/, ' event')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()

/** The last sentence of a paragraph asks for the paragraph after it. */
function neighbours(): EvaluationSet {
  const pairs: Pair[] = []
  const others: string[] = []
  for (const { text } of packageFiles(['*/**/*.md', '@*/*/**/*.md'])) {
    if (/^#+ .*(licen[cs]e|changelog)/im.test(text.slice(0, 200))) continue
    const blocks = plain(text)
      .split(/\n\s*\n/)
      .map(each => each.replaceAll(/\s+/g, ' ').trim())
    for (let at = 0; at < blocks.length; at++) {
      const block = blocks[at] as string
      const next = blocks[at + 1] ?? ''
      const query = sentences(block).at(-1) as string
      if (!isProse(block)) continue
      if (isProse(next) && query.length > 40 && query.length < 250) {
        pairs.push({ query, answer: next })
        at++
      } else others.push(block)
    }
  }
  return assemble('neighbours', {
    about:
      'The last sentence of a paragraph in the documents of a package asks for the paragraph after it; the one that it is from is not stored.',
    pairs,
    others,
  })
}

const isProse = (block: string) =>
  block.length > 100 &&
  block.length < 2_000 &&
  /^[\p{L}`"'(]/u.test(block) &&
  !/[|{};]{2}|copyright|warranty/i.test(block)

/** The first sentences of doc comments, in files of which no other set uses any. */
function summaries(): EvaluationSet {
  const files = packageFiles([
    '@types/node/**/*.d.ts',
    'playwright-core/types/types.d.ts',
    'fast-check/lib/fast-check.d.ts',
    'vite/dist/node/*.d.ts',
    'vitest/dist/chunks/*.d.ts',
    'rolldown/dist/shared/*.d.mts',
    'protobufjs/index.d.ts',
    'neo4j-driver*/types/**/*.d.ts',
  ])
  const pairs: Pair[] = []
  const others: string[] = []
  for (const { prose } of files.flatMap(({ text }) => docComments(text))) {
    const [first = '', ...rest] = sentences(paragraphs(prose).join(' '))
    const answer = rest.join(' ').slice(0, 2_000)
    if (first.length > 30 && first.length < 250 && answer.length > 100) pairs.push({ query: first, answer })
    else if (prose.length > 100) others.push(paragraphs(prose).join(' ').slice(0, 2_000))
  }
  return assemble('summaries', {
    about: 'The first sentence of the description of an API asks for the rest of it.',
    ...{ pairs, others },
    part: 'asked before',
  })
}

/** What the manifest of a package says of it in one line, which somebody wrote for a list of packages. */
function descriptions(): EvaluationSet {
  const manifests = packageFiles(['*/package.json', '@*/*/package.json']).map(
    ({ package: name, text }) => [name, (JSON.parse(text).description ?? '') as string] as const,
  )
  const descriptionOf = new Map(manifests)
  const files = readmes()
  const pairs = files.flatMap(({ package: name, text }) => {
    const query = descriptionOf.get(name) ?? ''
    const intro = paragraphs(plain(text.split(/^#{2,4} /m, 1)[0] as string)).filter(
      paragraph => paragraph.length > 60 && !bare(paragraph).includes(bare(query)),
    )
    const answer = intro.join('\n\n').slice(0, 2_000)
    return query.length > 30 && query.length < 250 && answer.length > 150 ? [{ query, answer }] : []
  })
  return assemble('descriptions', {
    about:
      'The description of a package in one line asks for the introduction of its README, without the paragraphs that hold that line.',
    pairs,
    others: files.flatMap(sectionsOf).map(({ text }) => text),
    part: 'unseen',
  })
}

const bare = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, ' ')
    .trim()

type Material = { about: string; pairs: readonly Pair[]; others: readonly string[]; part?: Part }

/** Asks for some of the pairs, chosen by a seed: only those whose question and whose answer stand there once. */
function assemble(name: string, { about, pairs, others, part }: Material): EvaluationSet {
  const once = (key: (pair: Pair) => string) => {
    const counts = new Map<string, number>()
    for (const pair of pairs) counts.set(key(pair), (counts.get(key(pair)) ?? 0) + 1)
    return (pair: Pair) => counts.get(key(pair)) === 1
  }
  const [questionOnce, answerOnce] = [once(({ query }) => query.toLowerCase()), once(({ answer }) => answer)]
  const askable = shuffled(pairs.filter(pair => questionOnce(pair) && answerOnce(pair)))
  const rest = shuffled([...pairs.map(({ answer }) => answer), ...others])
  const asked = askable.slice(0, 2 * QUERIES).map(({ answer }) => answer)
  const memories = [...new Set([...asked, ...rest])].slice(0, MEMORIES)
  const place = new Map(memories.map((memory, at) => [memory, at]))
  const queries = askable
    .slice(0, 2 * QUERIES)
    .map(({ query, answer }) => ({ text: query, answer: place.get(answer) as number }))
  const half = Math.min(QUERIES, Math.floor(queries.length / 2))
  return {
    name,
    about,
    memories,
    queries: part
      ? { [part]: queries.slice(0, 2 * QUERIES) }
      : { tuning: queries.slice(0, half), 'held-out': queries.slice(half, 2 * half) },
  }
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  const random = seededRandom(SEED + 2)
  return items
    .map(item => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}
