import { readCypher } from './read-query.ts'
import { withPlaces } from './refusal.ts'
import type { CypherQuery } from './tree.ts'
import { writeQuery } from './write-query.ts'
import { startCounts, type Writing } from './writing.ts'

/** A query over the graph of one tenant. */
export type Rewritten = {
  /** Ways to write it that the database plans differently, to be tried in this order. They return c0, c1, … */
  readonly texts: readonly string[]
  /** The names that the caller gave these columns. */
  readonly columns: readonly string[]
  /** The values that the texts name. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/**
 * A query of a tenant, read and written again: every node of its patterns has a label and the tenant, every connection the tenant, every name is one
 * of ours, and every text of the caller is a parameter. What is not known to be safe is refused.
 * @throws Refusal
 */
export function rewriteForTenant(
  query: string,
  parameters: Readonly<Record<string, unknown>>,
  tenant: string,
): Rewritten {
  return withPlaces(query, () => {
    const tree = readCypher(query)
    const [plain, hinted] = [false, true].map(hints => write(tree, parameters, hints)) as [Way, Way]
    return {
      texts: [...new Set([plain.text, hinted.text])],
      columns: plain.columns,
      parameters: { ...plain.parameters, t: tenant },
    }
  })
}

type Way = { text: string; columns: string[]; parameters: Record<string, unknown> }

function write(tree: CypherQuery, given: Readonly<Record<string, unknown>>, hints: boolean): Way {
  const writing: Writing = {
    hints,
    given,
    parameters: new Map(),
    texts: new Map(),
    counts: startCounts(),
    fresh: 0,
    around: { lists: 0, times: 1, open: false },
    query: writeQuery,
  }
  const { text, columns } = writeQuery(
    writing,
    tree,
    { names: new Map(), outer: new Map(), queries: true },
    'result',
  )
  return {
    text,
    columns: columns.map(({ name }) => name),
    parameters: Object.fromEntries(writing.parameters),
  }
}
