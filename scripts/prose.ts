/**
 * Holds every text that a person reads to how we write: `npm run prose`. It looks for words that we replace by those of the
 * field in all files, and measures the sentences of the documents, of the contract, of the problems, of the settings, of the help
 * and of the pages. It prints what is too long, and ends with 1 if a word was found, a sentence is longer than LONGEST words, or more
 * than 5 % are longer than LONG.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { toString as textOf } from 'mdast-util-to-string'
import { split } from 'sentence-splitter'
import { z } from 'zod'
import { commandSections } from '../src/cli/sections.ts'
import type { Command } from '../src/cli/shell/command.ts'
import { entriesOf } from '../src/cli/shell/program.ts'
import { routeNames, routes } from '../src/contract/index.ts'
import { problems } from '../src/contract/problem-codes.ts'
import { documentedSettings } from '../src/platform/settings.ts'

/** Words in a sentence. */
const MEDIAN = 14
const LONG = 28
const LONGEST = 45

/** Words of an earlier, private vocabulary, with the field's word for each. */
const replaced: Record<string, RegExp> = {
  again: /\banew\b/gi,
  'compute, count': /\breckon\w*/gi,
  'fix, correct': /\bmend(s|ed|ing)?\b/gi,
  'another tenant': /\bstrangers\b/gi,
  'resume, continue': /\b(go|goes|gone) on with\b/gi,
  'available, missing': /\b(is|not) to be had\b/gi,
  'at most': /\bat the most\b/gi,
  'who, the caller': /\bwhoever\b/gi,
  'memory lock': /\bone-at-a-time\b/gi,
  'fair queue': /\bfair line\b/gi,
  'stop words': /\bfunction words\b/gi,
  'raw response': /\bhang-?up\b/gi,
}

/** The same for the source of the service: names, comments and messages. */
const replacedInSource: Record<string, RegExp> = {
  'classify, check, outcome': /\b\w*(verdict|Verdict)\w*/g,
  'retryable failure, job failure': /\b\w*(Setback|hopeless)\w*/g,
  'dry run': /\b\w*rehears\w*/gi,
  'time limit, deadline': /\b\w*patience\w*/gi,
  'request context, cost estimate, surroundings': /\b(Asking|Scales)\b/g,
  'end, record, flush, complete': /\bsettle(s|d|Failure|Done)?\b(?!_at)/g,
  options: /\bmanner\w*/gi,
  'in the meantime': /\bmeanwhile\b/gi,
  'in progress': /\bunder ?way\b/gi,
  'on its own': /\bby itself\b/gi,
  'the name of what it does': /\b(takeTurn|glance|beginnings|crowded|spared|rung)\b/g,
}

const root = join(import.meta.dirname, '..')
const listed = [
  'src',
  'integrations',
  'test',
  'bench',
  'tools',
  'scripts',
  'schema',
  'docs',
  'clients',
  '*.md',
]
const others = /\.json$|\.png$|^test\/fixtures\/|^scripts\/prose\.ts$/

const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** Every replaced word in a file of the project. */
function oldWords(): string[] {
  const files = execFileSync('git', ['ls-files', '-z', '--', ...listed], { cwd: root, encoding: 'utf8' })
  return files
    .split('\0')
    .filter(file => file && !others.test(file))
    .flatMap(file => Object.entries(wordsOf(file)).flatMap(([use, words]) => found(file, use, words)))
}

const wordsOf = (file: string) =>
  /^(src\/(?!pages\/)|integrations\/)/.test(file) ? { ...replaced, ...replacedInSource } : replaced

const found = (file: string, use: string, words: RegExp) =>
  Array.from(read(file).matchAll(words), ([word]) => `${file}: “${word}” (use: ${use})`)

type Text = { where: string; text: string }

/** The paragraphs, the items of lists and the cells of tables of a document, without code. */
function textsOfDocument(where: string): Text[] {
  const texts: Text[] = []
  const walk = (
    node: ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>['children'][number],
  ) => {
    if (node.type === 'paragraph')
      for (const text of partsOf(textOf(node, { includeImageAlt: false }))) texts.push({ where, text })
    else if ('children' in node) for (const child of node.children) walk(child as never)
  }
  walk(fromMarkdown(read(where)))
  return texts
}

/** A paragraph is one text, except where it is a table: then each cell is. */
const partsOf = (paragraph: string) =>
  paragraph.startsWith('|') ? paragraph.split(/\n|(?<!\\)\|/) : [paragraph.replaceAll('\n', ' ')]

/** Summaries, and the descriptions of every field at any depth. */
const textsOfContract = (): Text[] =>
  routeNames.flatMap(name => {
    const { summary, description, input, output, mediaTypes } = routes[name]
    const schemas = [input, ...(mediaTypes ? [] : [output])]
    const fields = schemas.flatMap(schema =>
      Array.from(
        JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any' })).matchAll(
          /"description":("(?:[^"\\]|\\.)*")/g,
        ),
        ([, text = '""']) => JSON.parse(text) as string,
      ),
    )
    return [summary, ...(description ? [description] : []), ...fields].map(text => ({ where: name, text }))
  })

const textsOfHelp = (): Text[] =>
  Object.entries(entriesOf(commandSections)).flatMap(([name, entry]) => {
    const commands: Command[] = 'actions' in entry ? Object.values(entry.actions) : [entry]
    return [entry, ...commands].flatMap(each => [
      { where: name, text: each.summary },
      { where: name, text: (each.details ?? '').replaceAll('\n', ' ') },
      ...('options' in each
        ? Object.values(each.options).map(({ describe }) => ({ where: name, text: describe }))
        : []),
    ])
  })

/** The texts between the tags of the pages. */
const textsOfPages = (): Text[] =>
  execFileSync('git', ['ls-files', '--', 'src/pages/**/*.tsx'], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
    .flatMap(where =>
      Array.from(read(where).matchAll(/>\s*([A-Z][^<>{}=;]+)\s*</g), ([, text = '']) => ({
        where,
        text: text.replaceAll(/\s+/g, ' '),
      })),
    )

const documents = () =>
  execFileSync('git', ['ls-files', '--', '*.md', 'docs/*.md', 'clients/**/*.md'], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')

type Sentence = { where: string; text: string; words: number }

const sentencesOf = ({ where, text }: Text): Sentence[] =>
  split(text)
    .filter(({ type }) => type === 'Sentence')
    .map(({ raw }) => ({ where, text: raw, words: raw.split(/\s+/).filter(word => /\w/.test(word)).length }))
    .filter(({ words }) => words > 2)

/** Says how long the sentences of one kind of text are. Returns whether they are short enough. */
function judge(kind: string, texts: readonly Text[]): boolean {
  const distinct = new Map(texts.flatMap(sentencesOf).map(each => [each.text, each]))
  const sentences = [...distinct.values()].sort((a, b) => a.words - b.words)
  const at = (part: number) => sentences[Math.floor((sentences.length - 1) * part)]?.words ?? 0
  const [median, long, longest] = [at(0.5), at(0.95), at(1)]
  console.log(
    `${kind}: ${sentences.length} sentences, median ${median} words, 95 % at most ${long}, longest ${longest}`,
  )
  for (const { where, text, words } of sentences.filter(each => each.words > LONGEST))
    console.log(`  ${where} (${words} words): ${text}`)
  return median <= MEDIAN && long <= LONG && longest <= LONGEST
}

const words = oldWords()
for (const line of words) console.log(line)
const verdicts = [
  judge('documents', documents().flatMap(textsOfDocument)),
  judge('contract', textsOfContract()),
  judge(
    'problems',
    Object.entries(problems).map(([where, { description }]) => ({ where, text: description })),
  ),
  judge(
    'settings',
    documentedSettings().map(({ name, description }) => ({ where: name, text: description })),
  ),
  judge('help', textsOfHelp()),
  judge('pages', textsOfPages()),
]
if (words.length > 0 || verdicts.includes(false)) process.exitCode = 1
