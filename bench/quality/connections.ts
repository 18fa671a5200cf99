/** How well discovery connects what a person would connect: pairs that were written down before any cosine was known. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { readMachine } from '../../src/platform/config.ts'
import { ENGLISH } from '../../src/platform/embeddings/builtin/description.ts'
import { modelFiles } from '../../src/platform/embeddings/builtin/files.ts'
import { loadModel } from '../../src/platform/embeddings/builtin/inference.ts'
import { cosine } from '../../src/platform/embeddings/cosines.ts'
import { defaultThreshold } from '../../src/platform/embeddings/models.ts'
import { indexedWords } from '../../src/platform/text/words.ts'
import { measuredRule, readingOf, reasonFor } from '../../src/service/connections/standing-out.ts'
import { vectorOf } from './vector-of.ts'

type Note = { readonly id: string; readonly words: string; readonly vector: readonly [Float32Array] }

const fileOf = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8').trim()

const usual = defaultThreshold({ model: ENGLISH.space })

/** Both sets were in view while the rule was chosen. */
const sets = {
  'notes of the demo': {
    texts: (parse(fileOf('../../samples/memories.yaml')) as { memories: { content: string }[] }).memories.map(
      ({ content }) => content,
    ),
    pairs: fileOf('./connections/demo-pairs.txt').split('\n'),
  },
  'turns of a meeting': {
    // The speaker is a field of a memory.
    texts: fileOf('./connections/meeting.txt')
      .split('\n')
      .map(line => line.replace(/^\w+: /, '')),
    pairs: fileOf('./connections/meeting-pairs.txt').split('\n'),
  },
}

/** A table of both sets, by the threshold of the model and by the rule of the tenant. */
export async function connectionTable(): Promise<string> {
  const rows = ['| set | rule | connections | precision | recall | alone |', '|---|---|---|---|---|---|']
  for (const [name, { texts, pairs }] of Object.entries(sets)) {
    const notes = await notesOf(texts)
    const readings = notes.map(({ words }) => readingOf(words))
    const measured = notes.map(({ vector }, at) => ({ vector, stems: readings[at]!.stems }))
    const rule = measuredRule(measured, notes.length, usual)
    const rules = {
      [`cosine of ${usual}`]: (_one: number, _other: number, cosine: number) => cosine >= usual,
      'stands out': (one: number, other: number, cosine: number) =>
        reasonFor(rule, readings[one]!, readings[other]!, cosine) !== undefined,
    }
    for (const [title, counts] of Object.entries(rules))
      rows.push(`| ${name} | ${title} | ${figures(notes, new Set(pairs), counts).join(' | ')} |`)
  }
  return rows.join('\n')
}

function figures(
  notes: readonly Note[],
  expected: ReadonlySet<string>,
  counts: (one: number, other: number, cosine: number) => boolean,
) {
  const found = notes.flatMap(({ vector: [vector] }, one) =>
    notes.slice(one + 1).flatMap((other, next) => {
      const at = one + 1 + next
      return counts(one, at, cosine(vector, other.vector[0])) ? [[one + 1, at + 1]] : []
    }),
  )
  const right = found.filter(pair => expected.has(pair.join(' '))).length
  const share = (part: number, whole: number) => (part / whole).toFixed(2)
  const alone = notes.length - new Set(found.flat()).size
  return [found.length, share(right, found.length), share(right, expected.size), share(alone, notes.length)]
}

async function notesOf(texts: readonly string[]): Promise<Note[]> {
  const model = await loadModel(await modelFiles(ENGLISH, readMachine(), () => {}), ENGLISH.reading)
  const notes: Note[] = []
  for (const text of texts)
    notes.push({ id: text, words: indexedWords(text), vector: [await vectorOf(model, text)] })
  await model.release()
  return notes
}
