/**
 * Which statements the services of the last run of the tests sent to Neo4j: those that begin alike stand in one line, with
 * how many texts and characters they have. `npm run statements`, after `npm test` or `vitest run`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const LINES = 60
const ALIKE = 70

const file = join(import.meta.dirname, '../node_modules/.cache/statements.json')
const texts = JSON.parse(readFileSync(file, 'utf8')) as string[]
const sum = (some: readonly string[]) => some.reduce((total, { length }) => total + length, 0)
const beginningOf = (text: string) =>
  text
    .replace(/^CYPHER 25\s*/, '')
    .replaceAll(/\s+/g, ' ')
    .slice(0, ALIKE)
const print = (...cells: (string | number)[]) =>
  process.stdout.write(`${cells.map(cell => String(cell).padStart(10)).join('  ')}\n`)

const longest = Math.max(0, ...texts.map(({ length }) => length))
process.stdout.write(`${texts.length} texts, ${sum(texts)} characters, the longest ${longest}\n\n`)
print('texts', 'characters', 'longest', 'beginning')
const families = [...Map.groupBy(texts, beginningOf)].sort(([, a], [, b]) => sum(b) - sum(a))
for (const [beginning, alike] of families.slice(0, LINES))
  print(alike.length, sum(alike), Math.max(...alike.map(({ length }) => length)), beginning)
