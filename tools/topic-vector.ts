/** Words of one line are near in meaning and share no letters to speak of. */
const TOPICS = [
  'cat kitten feline pet purr whiskers',
  'car automobile vehicle truck engine driving',
  'bread baking oven sourdough flour dough',
  'database graph query index neo4j storage',
  'music song guitar melody concert violin',
  'ocean sea sailing boat harbour waves',
  'doctor hospital medicine patient illness nurse',
  'mountain hiking summit trail climbing peak',
].map(line => new Set(line.split(' ')))

/**
 * A stand-in for a model of meaning: words of one topic point the same way, every word also its own way. The same
 * text gives the same vector; no vector is zero.
 */
export function topicVector(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0)
  const add = (place: number, weight: number) => {
    const at = place % dimensions
    vector[at] = (vector[at] ?? 0) + weight
  }
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]) {
    const topic = TOPICS.findIndex(words => words.has(word))
    if (topic >= 0) add(topic, 1)
    add(hash(word), topic >= 0 ? 0.2 : 0.5)
  }
  return vector
}

const hash = (word: string) =>
  [...word].reduce((bits, character) => (bits * 31 + character.charCodeAt(0)) >>> 0, 7)
