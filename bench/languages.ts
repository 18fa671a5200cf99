/**
 * The two built-in models: which of 20 memories a question finds by its cosine, for nine languages, and what they find of English sets.
 * Half of the questions in another language than English are English. `node bench/languages.ts` prints the tables.
 */
import { readFileSync } from 'node:fs'
import { readMachine } from '../src/platform/config.ts'
import { type BuiltinModel, ENGLISH, MULTILINGUAL } from '../src/platform/embeddings/builtin/description.ts'
import { modelFiles } from '../src/platform/embeddings/builtin/files.ts'
import { loadModel, type Model } from '../src/platform/embeddings/builtin/inference.ts'
import { cosine } from '../src/platform/embeddings/cosines.ts'
import { meanOf, measures } from './quality/metrics.ts'
import { otherSets, type Query } from './quality/sets.ts'
import { vectorOf } from './quality/vector-of.ts'

const LANGUAGES = ['en', 'de', 'fr', 'es', 'zh', 'ja', 'ru', 'ar', 'hi']
const say = (line: string) => process.stdout.write(`${line}\n`)

const english = linesOf('en').map(([, question]) => question ?? '')
const models = [await load(ENGLISH), await load(MULTILINGUAL)]

say(`| memories in | ${models.map(({ name }) => `${name}: first, first five`).join(' | ')} |`)
say('|---|---|---|')
for (const language of LANGUAGES) {
  const lines = linesOf(language)
  const memories = lines.map(([memory]) => memory)
  const queries = lines.map(([, question], answer) => ({
    text: question || (english[answer] as string),
    answer,
  }))
  const cells: string[] = []
  for (const { model } of models) {
    const ranks = await ranksOf(model, memories, queries)
    cells.push(`${ranks.filter(rank => rank === 1).length}, ${ranks.filter(rank => rank <= 5).length}`)
  }
  say(`| ${[language, ...cells].join(' | ')} |`)
}

say(`\n| English set | ${models.map(({ name }) => `${name}: recall@10, nDCG@10`).join(' | ')} |`)
say('|---|---|---|')
for (const { name, memories, queries } of otherSets()) {
  const cells: string[] = []
  for (const { model } of models) {
    const ranks = await ranksOf(model, memories, Object.values(queries).flat())
    const figures = ['recall@10', 'nDCG@10'] as const
    cells.push(figures.map(figure => meanOf(ranks.map(measures[figure])).toFixed(3)).join(', '))
  }
  say(`| ${[name, ...cells].join(' | ')} |`)
}
for (const { model } of models) await model.release()

async function load(each: BuiltinModel): Promise<{ name: string; model: Model }> {
  const files = await modelFiles(each, readMachine(), say)
  return { name: each.name, model: await loadModel(files, each.reading) }
}

/** The place of each answer among the memories, 1 is the nearest. */
async function ranksOf(
  model: Model,
  memories: readonly string[],
  queries: readonly Query[],
): Promise<number[]> {
  const vectors: Float32Array[] = []
  for (const memory of memories) vectors.push(await vectorOf(model, memory))
  const ranks: number[] = []
  for (const { text, answer } of queries) {
    const asked = await vectorOf(model, text, 'query')
    const cosines = vectors.map(vector => cosine(vector, asked))
    ranks.push(cosines.filter(each => each > (cosines[answer] as number)).length + 1)
  }
  return ranks
}

/** A memory and a question in its language; a line without one is asked in English. */
function linesOf(language: string): (readonly [string, string | undefined])[] {
  const file = new URL(`quality/languages/${language}.tsv`, import.meta.url)
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => line.split('\t') as [string, string | undefined])
}
