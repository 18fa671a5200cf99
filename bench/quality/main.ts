/** How well each kind of search finds what was asked for: writes docs/search-quality.md. */
import { parseArgs } from 'node:util'
import { circumstances, revision } from '../../tools/run-conditions.ts'
import { askAll } from './contestants.ts'
import { learnEmbedding } from './embedding.ts'
import { startMiniLm } from './minilm.ts'
import { ablation, comparison, type Finding, verdicts, writePage } from './report.ts'
import { type EvaluationSet, knownSets, otherSets, type Part } from './sets.ts'
import { startWorld, type World } from './world.ts'

const { values } = parseArgs({
  options: {
    /** Leaves out the sets that no change may be tuned with, and writes no page. */
    known: { type: 'boolean', default: false },
  },
})
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => process.exit(1))

const began = revision()
const say = (line: string) => process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
const sets = [...knownSets(), ...(values.known ? [] : otherSets())]
const learnt = learnEmbedding(sets.flatMap(({ memories }) => memories))
say(
  `The embedding is learnt from ${sets.map(({ name, memories }) => `${memories.length} ${name}`).join(', ')}`,
)

await using trained = await startMiniLm(say)
const spaces = { builtin: 'builtin', trained, learnt, hash: 'hash' } as const
const findings: Finding[] = []
for (const [space, vectors] of Object.entries(spaces)) {
  await using world = await startWorld(vectors, say)
  for (const set of sets) findings.push(...(await askSet(world, set, space as Finding['space'])))
}
if (values.known) say([verdicts(findings), ...findings.map(comparison), ablation(findings)].join('\n\n'))
else writePage(findings, circumstances(began))
process.exit()

async function askSet(world: World, set: EvaluationSet, space: Finding['space']): Promise<Finding[]> {
  const tenant = await world.settle(set)
  const { name, about, memories } = set
  const asked: Finding[] = []
  for (const [part, queries] of Object.entries(set.queries)) {
    const ranks = await askAll(tenant, queries)
    asked.push({ space, set: name, about, part: part as Part, memories: memories.length, ranks })
    say(`${space}, ${name}, ${part}: ${queries.length} questions asked`)
  }
  return asked
}
