// Where the time of the tests goes, by folder: `node scripts/test-times.mjs FILE`, with what `--reporter=json` wrote.
import { readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const files = testResults.map(({ name, startTime, endTime, assertionResults }) => ({
  folder: relative('test', name).split(sep)[0],
  tests: assertionResults.length,
  seconds: (endTime - startTime) / 1000,
}))
const sum = (each, of) => each.reduce((total, file) => total + file[of], 0)
const folders = [...Map.groupBy(files, ({ folder }) => folder)].map(([folder, each]) => ({
  folder: `\`test/${folder}\``,
  files: each.length,
  tests: sum(each, 'tests'),
  seconds: Math.round(sum(each, 'seconds')),
}))
process.stdout.write('| folder | files | tests | seconds |\n|---|---|---|---|\n')
for (const row of folders.toSorted((a, b) => b.seconds - a.seconds))
  process.stdout.write(`| ${Object.values(row).join(' | ')} |\n`)
