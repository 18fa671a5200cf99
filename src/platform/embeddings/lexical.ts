import { stemmer } from 'stemmer'
import { lexicalWords } from './words.ts'

/**
 * The lexical vector of a text, not yet of length one: word stems, pairs of neighbours and word parts, each hashed to
 * two signed places. A feature that occurs n times counts the square root of n.
 * The same text gives the same vector on every machine; a change of any figure here is a new model name.
 * Others run between two words when `nextSlice` says so: a text can have 100,000 of them.
 */
export async function lexicalVector(
  text: string,
  dimensions: number,
  nextSlice: () => Promise<void>,
): Promise<Float64Array> {
  const vector = new Float64Array(dimensions)
  for (const [feature, squares] of await featuresOf(text, nextSlice))
    place(vector, feature, Math.sqrt(squares))
  if (vector.every(value => Math.abs(value) < ROUNDING)) vector[hash(text) % dimensions] = 1
  return vector
}

/** Features that cancel each other out leave at most this much. */
const ROUNDING = 1e-9
const WEIGHT = { word: 1, pair: 0.35, parts: 0.9 }
const PART_LENGTHS = [3, 4, 5]
/** Words that the Porter stemmer handles: it joins `discovery` and `discovered`. */
const ENGLISH = /^[a-z]{3,40}$/
/** Keeps a pair of words apart from one long word. */
const PAIR_SEED = 0x9e3779b9
const PART_SEED = 0x85ebca6b

/** Features by their hash, each with the sum of its squared weights. */
async function featuresOf(text: string, nextSlice: () => Promise<void>): Promise<Map<number, number>> {
  const features = new Map<number, number>()
  const add = (feature: number, weight: number) =>
    features.set(feature, (features.get(feature) ?? 0) + weight * weight)
  let previous: { key: number; weight: number } | undefined
  for (const { text: word, weight } of lexicalWords(text)) {
    await nextSlice()
    const key = hash(ENGLISH.test(word) ? stemmer(word) : word)
    add(key, weight * WEIGHT.word)
    addParts(word, weight, add)
    if (previous)
      add(Math.imul(previous.key ^ PAIR_SEED, 31) ^ key, Math.sqrt(previous.weight * weight) * WEIGHT.pair)
    previous = { key, weight }
  }
  return features
}

/** Word parts with marks at both ends. Together they weigh the same in a short word as in a long one. */
function addParts(word: string, weight: number, add: (feature: number, weight: number) => void): void {
  const marked = `<${word}>`
  const spans = PART_LENGTHS.filter(length => length < marked.length)
  const count = spans.reduce((sum, length) => sum + marked.length - length + 1, 0)
  const share = (weight * WEIGHT.parts) / Math.sqrt(count)
  for (const length of spans)
    for (let start = 0; start + length <= marked.length; start++)
      add(hash(marked, start, start + length, PART_SEED), share)
}

/** Two places with a sign each: a clash of two features then costs half as much. */
function place(vector: Float64Array, feature: number, weight: number): void {
  for (const seed of [1, 2]) {
    const bits = mix(feature + Math.imul(seed, PAIR_SEED))
    const index = (bits >>> 1) % vector.length
    vector[index] = (vector[index] ?? 0) + (bits & 1 ? weight : -weight)
  }
}

/** FNV-1a over UTF-16 units with the finaliser of murmur3: 32 bits, evenly spread in each. */
function hash(text: string, start = 0, end = text.length, seed = 0): number {
  let bits = 0x811c9dc5 ^ seed
  for (let at = start; at < end; at++) bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193)
  return mix(bits)
}

function mix(bits: number): number {
  let mixed = bits
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
