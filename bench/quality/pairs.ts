import { readFileSync } from 'node:fs'

const linesOf = (name: string) =>
  readFileSync(new URL(`./pairs/${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')

/** Sentences about all kinds of things, or what people search for: questions, a few words, sentences. */
export const readSentences = (name: 'neutral' | 'queries'): string[] => linesOf(`${name}.txt`)

/** Pairs that say the same in other words, or have nothing to do with each other. */
export const readPairs = (name: 'paraphrases' | 'unrelated') =>
  linesOf(`${name}.tsv`).map(line => line.split('\t') as [string, string])

export type Similarities = { readonly paraphrases: readonly number[]; readonly unrelated: readonly number[] }

/** How well a threshold divides the pairs of a half: thresholds are chosen with one, and judged with the other. */
export function rates(
  { paraphrases, unrelated }: Similarities,
  half: 'calibration' | 'held out',
  threshold: number,
) {
  const rest = half === 'calibration' ? 0 : 1
  const passing = (cosines: readonly number[]) =>
    cosines.filter((cosine, at) => at % 2 === rest && cosine >= threshold).length
  const right = passing(paraphrases)
  return {
    precision: right / (right + passing(unrelated)),
    recall: right / paraphrases.filter((_, at) => at % 2 === rest).length,
  }
}
