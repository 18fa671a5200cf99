/**
 * Prints the skipped tests and the last line of a CI run, from Vitest's JSON results and the exit status of `npm test`.
 * A test file that did not load counts as one failure, and so does a run that failed without a failing test: lint,
 * types, dead code.
 */
import { readFileSync } from 'node:fs'

const [file, status] = process.argv.slice(2)
const results = read()
const tests = results.flatMap(({ assertionResults }) => assertionResults)
const brokenFiles = results.filter(
  result => result.status === 'failed' && !result.assertionResults.some(isFailed),
)
const failed = tests.filter(isFailed).length + brokenFiles.length
const passed = tests.filter(test => test.status === 'passed').length
for (const { fullName } of tests.filter(isSkipped)) console.log(`Skipped: ${fullName}`)
console.log(`${passed} passed, ${failed || (status === '0' ? 0 : 1)} failed`)

function isSkipped(test) {
  return test.status === 'skipped' || test.status === 'pending'
}

function isFailed(test) {
  return test.status === 'failed'
}

/** The results by file; none when the run ended before there were any. */
function read() {
  const text = readFileSync(file, 'utf8')
  return text ? JSON.parse(text).testResults : []
}
