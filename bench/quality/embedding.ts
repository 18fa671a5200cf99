import { stemmer } from 'stemmer'
import { seededRandom } from '../../tools/seeded-random.ts'
import type { Vectors } from './world.ts'

const DIMENSIONS = 256
const ROUNDS = 4
const SEED = 11

type Sparse = { readonly columns: Int32Array; readonly values: Float64Array }

/**
 * Latent semantic analysis (Deerwester et al., 1990), learnt from the given texts: words that occur in like texts lie
 * near each other. A text is its weighted words in the space of the strongest directions, found by subspace iteration;
 * as cosines do not change when the axes are turned, any basis of that space will do.
 */
export function learnEmbedding(texts: readonly string[]): Vectors {
  const counts = texts.map(wordCounts)
  const frequency = new Map<string, number>()
  for (const word of counts.flatMap(each => [...each.keys()]))
    frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const vocabulary = [...frequency.keys()].filter(word => (frequency.get(word) as number) > 2).sort()
  const column = new Map(vocabulary.map((word, at) => [word, at]))
  const rarity = Float64Array.from(vocabulary, word =>
    Math.log(texts.length / (frequency.get(word) as number)),
  )
  const sparse = (words: ReadonlyMap<string, number>) => weighted(words, column, rarity)
  const basis = dominantDirections(counts.map(sparse), vocabulary.length)
  const vector = (text: string) => {
    const image = project(sparse(wordCounts(text)), basis)
    // A text of unknown words alone is near nothing, but every text has a direction.
    return image.some(value => value !== 0) ? image : image.fill(1)
  }
  return { model: 'latent-semantic-analysis', dimensions: DIMENSIONS, vector }
}

/** Stems, with identifiers taken apart as models with parts of words do. */
function wordCounts(text: string): Map<string, number> {
  const apart = text.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
  const counts = new Map<string, number>()
  for (const word of apart.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []) {
    const stem = stemmer(word)
    counts.set(stem, (counts.get(stem) ?? 0) + 1)
  }
  return counts
}

function weighted(
  words: ReadonlyMap<string, number>,
  column: ReadonlyMap<string, number>,
  rarity: Float64Array,
): Sparse {
  const known = [...words].flatMap(([word, count]) => {
    const at = column.get(word)
    return at === undefined ? [] : [{ at, value: (1 + Math.log(count)) * (rarity[at] as number) }]
  })
  const length = Math.hypot(...known.map(({ value }) => value)) || 1
  return {
    columns: Int32Array.from(known, ({ at }) => at),
    values: Float64Array.from(known, ({ value }) => value / length),
  }
}

/** For each word a row of so many coordinates. */
function dominantDirections(rows: readonly Sparse[], width: number): Float64Array {
  const random = seededRandom(SEED)
  let basis: Float64Array = Float64Array.from({ length: width * DIMENSIONS }, () => random() - 0.5)
  for (let round = 0; round < ROUNDS; round++) {
    const next = new Float64Array(width * DIMENSIONS)
    for (const row of rows) {
      const image = project(row, basis)
      for (const [index, at] of row.columns.entries()) {
        const value = row.values[index] as number
        for (let axis = 0; axis < DIMENSIONS; axis++)
          next[at * DIMENSIONS + axis]! += value * (image[axis] as number)
      }
    }
    basis = orthonormal(next, width)
  }
  return basis
}

function project({ columns, values }: Sparse, basis: Float64Array): number[] {
  const image = new Array<number>(DIMENSIONS).fill(0)
  for (const [index, at] of columns.entries())
    for (let axis = 0; axis < DIMENSIONS; axis++)
      image[axis]! += (values[index] as number) * (basis[at * DIMENSIONS + axis] as number)
  return image
}

/** Gram and Schmidt, one axis after the other, each kept as a row in the meantime. */
function orthonormal(matrix: Float64Array, width: number): Float64Array {
  const axes = Array.from({ length: DIMENSIONS }, (_, axis) =>
    Float64Array.from({ length: width }, (_, at) => matrix[at * DIMENSIONS + axis] as number),
  )
  for (const [number, axis] of axes.entries()) {
    for (const earlier of axes.slice(0, number)) {
      const share = dot(axis, earlier)
      for (let at = 0; at < width; at++) axis[at]! -= share * (earlier[at] as number)
    }
    const length = Math.sqrt(dot(axis, axis)) || 1
    for (let at = 0; at < width; at++) axis[at]! /= length
  }
  return Float64Array.from(matrix, (_, index) => axes[index % DIMENSIONS]![Math.floor(index / DIMENSIONS)]!)
}

function dot(one: Float64Array, other: Float64Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number)
  return sum
}
