import { seededRandom } from '../tools/seeded-random.ts'

/** What a text is about: memories of one story lie above the threshold of discovery, those of one topic far below. */
type Theme = { topic: number; story: number }

export type CorpusMemory = {
  id: string
  tenant: string
  content: string
  tags: string[]
  importance: number
  /** Milliseconds. */
  createdAt: number
}

export type Corpus = {
  readonly name: string
  readonly size: number
  readonly topics: number
  memory(at: number): CorpusMemory
  /** A text about something that is in the corpus; every number gives another. */
  query(at: number): string
  /** Words to search for, some rare and some frequent; every number gives others. */
  words(at: number): string
}

/** The shares of the tenants in a hundred memories. */
export const tenants = { small: 1, mid: 10, big: 89 } as const

export const DIMENSIONS = 384
const WORDS = 6_000
const STORY_SIZE = 10
const FIRST_TIME = Date.UTC(2026, 0, 1)

/** A corpus that follows from its name, its size and the number of its topics. */
export function createCorpus(name: string, size: number, topics: number): Corpus {
  const theme = (random: () => number): Theme => {
    const story = Math.floor(random() * Math.max(1, size / STORY_SIZE))
    return { topic: story % topics, story }
  }
  const seed = hash(name)
  return {
    name,
    size,
    topics,
    memory(at) {
      const random = seededRandom(seed + at)
      const { topic, story } = theme(random)
      return {
        id: idOf(name, at),
        tenant: `${name}-${tenantAt(at)}`,
        content: `topic${topic} story${story} ${sentence(random, 20 + Math.floor(random() * 30))}`,
        tags: [`tag${Math.floor(random() * 20)}`, `kind${Math.floor(random() * 3)}`],
        importance: Math.round(random() * 1000) / 1000,
        createdAt: FIRST_TIME + at * 1_000,
      }
    },
    query(at) {
      const random = seededRandom(seed ^ (at + 7_000_001))
      const { topic, story } = theme(random)
      return `topic${topic} story${story} ${sentence(random, 8)}`
    },
    words: at => sentence(seededRandom(seed ^ (at + 9_000_001)), 3),
  }
}

export const tenantAt = (at: number): keyof typeof tenants =>
  at % 100 < tenants.small ? 'small' : at % 100 < tenants.small + tenants.mid ? 'mid' : 'big'

export function idOf(name: string, at: number): string {
  const own = hash(name).toString(16).padStart(8, '0')
  return `${own}-0000-7000-8000-${at.toString(16).padStart(12, '0')}`
}

/** Words by Zipf's law: few are frequent, most are rare. */
function sentence(random: () => number, count: number): string {
  return Array.from({ length: count }, () => wordAt(Math.floor(WORDS ** random()))).join(' ')
}

const syllables = 'ba ce di fo gu ka le mi no pu ra se ti vo zu'.split(' ')

function wordAt(number: number): string {
  let word = ''
  for (let rest = number + syllables.length; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length]
  return word
}

/** The vector of a text, of length one: that of its topic and its story, and some of its own. */
export function vectorOf(text: string): Float32Array {
  const [, topic, story] = /^topic(\d+) story(\d+) /.exec(text) ?? []
  const vector = new Float32Array(DIMENSIONS)
  if (topic) add(vector, direction(`topic${topic}`), 1)
  if (story) add(vector, direction(`story${story}`), 1.2)
  add(vector, randomDirection(text), 0.8)
  const length = Math.hypot(...vector)
  return vector.map(value => value / length)
}

/** The cosine of two vectors of length one. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!
  return sum
}

const directions = new Map<string, Float32Array>()
const MOST_DIRECTIONS = 30_000

function direction(name: string): Float32Array {
  const known = directions.get(name)
  if (known) return known
  if (directions.size >= MOST_DIRECTIONS) directions.clear()
  const made = randomDirection(name)
  directions.set(name, made)
  return made
}

/** Sums of few uniform numbers are near enough to normal ones, and quick. */
function randomDirection(text: string): Float32Array {
  const random = seededRandom(hash(text))
  const scale = Math.sqrt(6 / DIMENSIONS)
  return Float32Array.from({ length: DIMENSIONS }, () => (random() + random() - 1) * scale)
}

function add(vector: Float32Array, other: Float32Array, weight: number) {
  for (let at = 0; at < DIMENSIONS; at++) vector[at]! += weight * other[at]!
}

function hash(text: string): number {
  let bits = 0x811c9dc5
  for (let at = 0; at < text.length; at++) bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193)
  return bits >>> 0
}
