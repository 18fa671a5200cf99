/**
 * The figures in the description of the built-in model, made from the sentences in `bench/quality/pairs`.
 * `node bench/calibrate.ts` prints precision and recall of thresholds on pairs that say the same and pairs that have
 * nothing to do with each other (`--model multilingual` those of the other built-in model). `node bench/calibrate.ts --mean` writes
 * the mean vectors of the neutral sentences and queries for the English one.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readMachine } from '../src/platform/config.ts'
import { createMean } from '../src/platform/embeddings/builtin/average.ts'
import { builtinModels, ENGLISH } from '../src/platform/embeddings/builtin/description.ts'
import { modelFiles } from '../src/platform/embeddings/builtin/files.ts'
import { loadModel } from '../src/platform/embeddings/builtin/inference.ts'
import { cosine } from '../src/platform/embeddings/cosines.ts'
import { defaultThreshold } from '../src/platform/embeddings/models.ts'
import { rates, readPairs, readSentences, type Similarities } from './quality/pairs.ts'
import { vectorOf } from './quality/vector-of.ts'

const { values } = parseArgs({
  options: { mean: { type: 'boolean', default: false }, model: { type: 'string', default: 'english' } },
})
const say = (line: string) => process.stdout.write(`${line}\n`)
const model = builtinModels[values.model] ?? ENGLISH
const { reading } = model
const files = await modelFiles(model, readMachine(), say)

if (values.mean) await writeMean()
else await printRates()

async function writeMean() {
  const raw = await loadModel(files, { ...reading, mean: undefined })
  const [document, query] = [createMean(reading.dimensions), createMean(reading.dimensions)]
  for (const text of readSentences('neutral')) {
    const vector = await vectorOf(raw, text)
    document.add(vector)
    query.add(vector)
  }
  // Half of each: queries are questions as well as sentences.
  for (const text of readSentences('queries')) query.add(await vectorOf(raw, text, 'query'))
  await raw.release()
  const file = new URL('../src/platform/embeddings/builtin/mean.ts', import.meta.url)
  const before = readFileSync(file, 'utf8').split('export const MEANS')[0]
  const fields = Object.entries({ document, query }).map(
    ([kind, mean]) => `  ${kind}:\n${linesOf(mean.value())},\n`,
  )
  writeFileSync(file, `${before}export const MEANS = {\n${fields.join('')}}\n`)
}

function linesOf(mean: Float64Array): string {
  const text = Buffer.from(Float32Array.from(mean).buffer).toString('base64')
  return (text.match(/.{1,96}/g) ?? []).map(part => `    '${part}'`).join(' +\n')
}

async function printRates() {
  const centred = await loadModel(files, reading)
  const cosines = async (name: 'paraphrases' | 'unrelated') => {
    const found: number[] = []
    for (const [first, second] of readPairs(name))
      found.push(cosine(await vectorOf(centred, first), await vectorOf(centred, second)))
    return found
  }
  const all: Similarities = {
    paraphrases: await cosines('paraphrases'),
    unrelated: await cosines('unrelated'),
  }
  await centred.release()
  const own = defaultThreshold({ model: model.space })
  for (const half of ['calibration', 'held out'] as const)
    for (const threshold of [0.3, 0.4, 0.5, own, 0.7, 0.8, 0.85, 0.9].toSorted()) {
      const { precision, recall } = rates(all, half, threshold)
      say(`${half}, ${threshold.toFixed(2)}: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`)
    }
}
