/**
 * Judges a run by its history and the graph alone: `node checker.ts <history> <uri> <property> <dimensions>
 * <threshold>`. Prints what it saw as one JSON object. It shares nothing with the run but the file.
 */
import { expectationOf } from './expectation.ts'
import { readGraph } from './graph.ts'
import { readHistory, sentInOneModel } from './history.ts'
import * as rules from './rules.ts'

export type Judgement = { faults: string[]; seen: Record<string, number> }

const [file, uri, property, dimensions, threshold] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
]
const lines = readHistory(file)
const tenants = [...new Set(lines.flatMap(line => ('tenant' in line ? [line.tenant] : [])))]
await using graph = await readGraph(uri, process.env.NEO4J_PASSWORD as string, tenants)
const expectation = expectationOf(lines)
const scan = rules.discovery(graph, sentInOneModel(lines), Number(threshold), Number(dimensions))
const { memories, edges } = graph
const judgement: Judgement = {
  faults: [
    ...rules.writes(expectation, graph),
    ...rules.queue(graph),
    ...rules.vectors(graph, { property }),
    ...scan.faults,
    ...rules.effects(expectation, graph),
    ...(await rules.remains(expectation, graph)),
    ...rules.audit(expectation, graph),
    ...rules.fences(lines),
    ...rules.searches(lines),
  ],
  seen: {
    ...expectation.verdicts,
    'unanswered and there': rules.unansweredThere(expectation, graph),
    memories: memories.length,
    connections: edges.length,
    'audit entries': graph.audit.length,
    'pairs examined': scan.pairs,
    'pairs at or above the threshold': scan.near,
    claims: lines.reduce((sum, line) => sum + (line.at === 'claim' ? line.jobs.length : 0), 0),
    'late writes': lines.filter(({ at }) => at === 'late').length,
    searches: lines.filter(({ at }) => at === 'search').length,
  },
}
process.stdout.write(`${JSON.stringify(judgement)}\n`)
