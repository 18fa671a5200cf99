/** How well each kind of search finds what was asked for: writes docs/reports/search-quality.md. */
import { parseArgs } from 'node:util'
import { circumstances, revision } from '../../tools/run-conditions.ts'
import { connectionTable } from './connections.ts'
import { askAll } from './contestants.ts'
import { learnEmbedding } from './embedding.ts'
import { startMiniLm } from './minilm.ts'
import { relevanceSet } from './questions.ts'
import { separate } from './relevance.ts'
import {
  ablation,
  comparisons,
  type Finding,
  type Separated,
  separations,
  verdicts,
  writePage,
} from './report.ts'
import { type EvaluationSet, knownSets, otherSets, type Part } from './sets.ts'
import { startWorld, type World } from './world.ts'

const { values } = parseArgs({
  options: {
    /** Leaves out the sets that no change may be tuned with, and writes no page. */
    known: { type: 'boolean', default: false },
    /** Adds a sentence-transformer of another kind, and vectors that are learnt from the sets. */
    all: { type: 'boolean', default: false },
    /** Only the questions of relevance, with the built-in model and `hash`; writes no page. */
    relevance: { type: 'boolean', default: false },
    /** Only which memories are connected that a person would connect; writes no page. */
    connections: { type: 'boolean', default: false },
  },
})
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => process.exit(1))

const began = revision()
const say = (line: string) => process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
if (values.relevance) await relevanceOnly()
if (values.connections) {
  say(`\n${await connectionTable()}`)
  process.exit()
}
const sets = [...knownSets(), ...(values.known ? [] : otherSets())]
say(sets.map(({ name, memories }) => `${memories.length} ${name}`).join(', '))
await using trained = values.all ? await startMiniLm(say) : undefined
const spaces = {
  builtin: 'builtin',
  hash: 'hash',
  ...(trained && { trained, learnt: learnEmbedding(sets.flatMap(({ memories }) => memories)) }),
} as const
const findings: Finding[] = []
const separated: Separated[] = []
for (const [space, vectors] of Object.entries(spaces)) {
  await using world = await startWorld(vectors, say)
  for (const set of sets) findings.push(...(await askSet(world, set, space as Finding['space'])))
  separated.push(...(await askRelevance(world, space as Finding['space'])))
}
if (values.known)
  say([verdicts(findings), ...comparisons(findings), ablation(findings), separations(separated)].join('\n\n'))
else writePage(findings, separated, circumstances(began))
process.exit()

async function askSet(world: World, set: EvaluationSet, space: Finding['space']): Promise<Finding[]> {
  const tenant = await world.load(set)
  const { name, about, memories } = set
  const asked: Finding[] = []
  for (const [part, queries] of Object.entries(set.queries)) {
    const ranks = await askAll(tenant, queries)
    asked.push({ space, set: name, about, part: part as Part, memories: memories.length, ranks })
    say(`${space}, ${name}, ${part}: ${queries.length} questions asked`)
  }
  return asked
}

async function relevanceOnly(): Promise<never> {
  for (const space of ['builtin', 'hash'] as const) {
    await using world = await startWorld(space, say)
    say(separations(await askRelevance(world, space)))
  }
  process.exit()
}

async function askRelevance(world: World, space: Finding['space']): Promise<Separated[]> {
  const set = relevanceSet()
  const tenant = await world.load(set)
  const asked: Separated[] = []
  for (const [half, questions] of Object.entries(set.questions))
    asked.push({ space, half: half as Separated['half'], ...(await separate(tenant, questions)) })
  return asked
}
