import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest begins first, so that nothing is left to run alone at the end. */
const longest = [
  'alone/alone',
  'clients/python',
  'pages/graph',
  'pages/console',
  'graphql/isolation',
  'model/model',
  'statements/tenant',
  'tenants/shared-ids',
  'database/managed',
  'reliability/database',
]

/**
 * They borrow a Neo4j. After the first file, which borrows one too, and apart from each other they get the same one, which has
 * planned their statements by then.
 */
const borrowers = [
  'chaos/chaos',
  'cypher/generated',
  'search/left-out',
  'search/small-tenants',
  'embeddings/calibration',
  'reliability/start',
]

/** It has all statements planned anew, so no other file comes after it. */
const last = 'statements/plans'

const isOf = ({ moduleId }: TestSpecification, name: string) => moduleId.endsWith(`/test/${name}.test.ts`)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const rank = (file: TestSpecification) => {
      if (isOf(file, last)) return files.length
      const at = longest.findIndex(name => isOf(file, name))
      return at < 0 ? longest.length : at
    }
    const isBorrower = (file: TestSpecification) => borrowers.some(name => isOf(file, name))
    const sorted = files.filter(file => !isBorrower(file)).toSorted((a, b) => rank(a) - rank(b))
    const half = sorted.length / 2
    const places = borrowers.flatMap((name, at) => {
      const file = files.find(each => isOf(each, name))
      return file ? [[Math.floor(half + (at * half) / borrowers.length), file] as const] : []
    })
    // From the end, so that the places before stay what they are.
    for (const [at, file] of places.toReversed()) sorted.splice(at, 0, file)
    return sorted
  }
}

/**
 * The Neo4js of a run plan statements for most of their time. After some hundred of them Java's optimising compiler has paid for
 * itself, so those that the files share have it (they start with this process), and those of single tests do without.
 */
process.env.JAVA_TOOL_OPTIONS = '-XX:+UseSerialGC'
const JAVA_TOOL_OPTIONS = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'

/** What one process of a run has compiled the others need not. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, 'node_modules', '.cache', 'compiled-by-tests')

export default defineConfig({
  // The same copy of it that Node gives to the libraries.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/database.ts'],
    setupFiles: ['test/support/keep-answers.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What comes by itself may be late on a busy machine.
    expect: { poll: { timeout: 90_000 } },
    // One more than the smallest machine has processors: some wait for what they have killed.
    maxWorkers: 3,
    // A process of its own for each file would load the service and make its GraphQL schema again each time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    env: { JAVA_TOOL_OPTIONS, NODE_COMPILE_CACHE },
  },
})
