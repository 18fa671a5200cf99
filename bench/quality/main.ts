/** How well each kind of search finds what was asked for: writes docs/search-quality.md. */
import { parseArgs } from 'node:util'
import { circumstances, revision } from '../../test/support/circumstances.ts'
import { askAll } from './contestants.ts'
import { learnEmbedding } from './embedding.ts'
import { ablation, comparison, type Finding, verdicts, writePage } from './report.ts'
import { type EvaluationSet, knownSets, unseenSet } from './sets.ts'
import { startWorld, type World } from './world.ts'

const { values } = parseArgs({
  options: {
    /** Leaves out the set that no change may be tuned with, and writes no page. */
    known: { type: 'boolean', default: false },
    /** An empty Neo4j for each of the two spaces, where they run already. */
    database: { type: 'string', multiple: true, default: [] },
  },
})
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => process.exit(1))

const began = revision()
const say = (line: string) => process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
const unseen = values.known ? undefined : unseenSet()
const sets = [...knownSets(), ...(unseen ? [unseen] : [])]
const learnt = learnEmbedding(sets.flatMap(({ memories }) => memories))
say(
  `The embedding is learnt from ${sets.map(({ name, memories }) => `${memories.length} ${name}`).join(', ')}`,
)

const spaces = [
  ['learnt', learnt],
  ['hash', 'hash'],
] as const
const findings = (
  await Promise.all(
    spaces.map(async ([space, vector], at) => {
      await using world = await startWorld(vector, say, values.database[at])
      const asked: Finding[] = []
      for (const set of sets) asked.push(...(await askSet(world, set, space)))
      return asked
    }),
  )
).flat()
if (values.known) say([verdicts(findings), ...findings.map(comparison), ablation(findings)].join('\n\n'))
else writePage(findings, circumstances(began))
process.exit()

async function askSet(world: World, set: EvaluationSet, space: Finding['space']): Promise<Finding[]> {
  const tenant = await world.settle(set)
  const asked: Finding[] = []
  for (const part of ['tuning', 'held-out'] as const) {
    if (set.queries[part].length === 0) continue
    const ranks = await askAll(tenant, set.queries[part])
    const { name, about, memories } = set
    asked.push({
      space,
      set: name,
      about,
      part: set === unseen ? 'unseen' : part,
      memories: memories.length,
      ranks,
    })
    say(`${space}, ${name}, ${part}: ${ranks.hybrid.length} questions asked`)
  }
  return asked
}
