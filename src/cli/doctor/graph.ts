import type { Caller } from '../../store/neo4j/attempts.ts'
import { type Broken, findBroken, repairBroken } from '../../store/neo4j/integrity.ts'
import type { Terminal } from '../shell/terminal.ts'
import type { ExaminedDatabase } from './database.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warning, failure } = findingsOf('graph')

/** A rule reads all memories or all connections once. */
const LONGEST_MS = 1_800_000

/** Whether everything holds that always holds in the graph. With `repair`, what can be repaired is. */
export async function examineGraph(
  { neo4j }: ExaminedDatabase,
  { repair, terminal }: { repair: boolean; terminal: Terminal },
): Promise<Finding[]> {
  const caller: Caller = { app: { neo4j }, signal: terminal.signal, transactionMs: LONGEST_MS }
  const broken = await findBroken(caller, name => terminal.progress(`graph: ${name}`))
  if (broken.length === 0)
    return [ok('everything holds that should: connections, jobs, vectors, times and the feed')]
  const findings: Finding[] = []
  for (const each of broken) {
    const isRepaired = repair && each.rule.repair !== undefined
    if (isRepaired) await repairBroken(caller, each.rule)
    findings.push(isRepaired ? repaired(each) : faulty(each))
  }
  return findings
}

const sentenceOf = ({ rule: { fault }, count, examples }: Broken) =>
  `${count} ${fault}, for instance ${examples.join('; ')}`

const repaired = (broken: Broken) =>
  warning(`repaired: ${sentenceOf(broken)}`, `The repair ${broken.rule.remedy}. Run it again to check.`)

const faulty = (broken: Broken) => {
  const { repair, remedy } = broken.rule
  return failure(
    sentenceOf(broken),
    repair === undefined
      ? `No repair: ${remedy}.`
      : `mnemograph doctor --graph --repair ${remedy}. Back up first.`,
  )
}
