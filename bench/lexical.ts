/**
 * How near real sections of text are to each other in the lexical space, and how fast their vectors are made:
 * `node bench/lexical.ts [FOLDER]`, by default the installed packages and their READMEs.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHashEmbedder } from '../src/platform/embeddings/hash.ts'

const folder = process.argv[2] ?? 'node_modules'
const sections = globSync('**/*.md', { cwd: folder })
  .filter(file => process.argv[2] || /readme\.md$/i.test(file))
  .sort()
  .flatMap(sectionsOf)

const started = performance.now()
const vectors = (
  await createHashEmbedder().embed(
    sections.map(({ text }) => text),
    { kind: 'document', signal: new AbortController().signal },
  )
).map(({ vector }) => vector)
const seconds = (performance.now() - started) / 1000

const bounds = [0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.01]
const counts = {
  same: new Array<number>(bounds.length).fill(0),
  other: new Array<number>(bounds.length).fill(0),
}
for (const [at, vector] of vectors.entries())
  for (let next = at + 1; next < vectors.length; next++) {
    const kind = sections[at]!.file === sections[next]!.file ? 'same' : 'other'
    const bin = bounds.findIndex(bound => cosine(vector, vectors[next]!) < bound)
    counts[kind][bin]!++
  }

console.log(`${sections.length} sections, ${Math.round(sections.length / seconds)} vectors a second`)
console.log(`cosine below: ${bounds.map(bound => String(bound).padStart(8)).join('')}`)
for (const [kind, bins] of Object.entries(counts)) {
  const all = bins.reduce((sum, count) => sum + count, 0)
  const shares = bins.map(count => `${((100 * count) / all).toFixed(3)}%`.padStart(8)).join('')
  console.log(`${kind} file`.padEnd(13), shares, `of ${all} pairs; ${bins.at(-1)} at 0.7 or above`)
}

function sectionsOf(file: string): { file: string; text: string }[] {
  const parts = readFileSync(join(folder, file), 'utf8').split(/^(?=#{1,6} )/m)
  return parts.filter(part => part.trim().length > 60).map(text => ({ file, text }))
}

function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!
  return sum
}
