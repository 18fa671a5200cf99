import type { Plan, ResultSummary } from 'neo4j-driver'

/** The query is refused; the message gives the reason. */
export class RefusedQueryError extends Error {
  override readonly name = 'RefusedQueryError'
}

/** Procedures that only return information. They are listed by name, because the declared mode of a procedure is no guarantee. */
const procedures = new Set([
  'db.info',
  'db.labels',
  'db.ping',
  'db.propertyKeys',
  'db.relationshipTypes',
  'db.index.fulltext.listAvailableAnalyzers',
  'db.index.fulltext.queryNodes',
  'db.index.fulltext.queryRelationships',
  'db.index.vector.queryNodes',
  'db.index.vector.queryRelationships',
  'db.schema.nodeTypeProperties',
  'db.schema.relTypeProperties',
  'db.schema.visualization',
  'dbms.components',
])

const commands = new Set(['ShowIndexes', 'ShowConstraints', 'ShowFunctions', 'ShowProcedures'])

/**
 * Checks the result of EXPLAIN for a query. Read access alone is not enough: Neo4j lets it load files and addresses, and
 * end what others run. @throws RefusedQueryError when the query does anything but read the graph
 */
export function refuseAllButReads({ queryType, plan }: Pick<ResultSummary, 'queryType' | 'plan'>) {
  if (queryType === 'w' || queryType === 'rw')
    throw new RefusedQueryError('This only reads, and the query writes.')
  const operators = plan ? flatten(plan) : []
  for (const { operatorType, arguments: given } of operators) {
    const [operator = ''] = operatorType.split('@')
    if (operator === 'LoadCSV')
      throw new RefusedQueryError('LOAD CSV is refused: it reads files and addresses, not the graph.')
    if (operator === 'ProcedureCall') checkProcedure(String(given?.Details ?? ''))
    if (/^(Show|Terminate)/.test(operator) && !commands.has(operator))
      throw new RefusedQueryError(`${inWords(operator)} is refused: it is about the server, not the graph.`)
  }
  if (queryType !== 'r' || operators.length === 0)
    throw new RefusedQueryError(
      'This only reads the graph, and the query changes or shows something of the server.',
    )
}

function checkProcedure(details: string) {
  const [name = ''] = details.split('(')
  if (!procedures.has(name))
    throw new RefusedQueryError(
      `The procedure ${name} is refused. These may be called: ${[...procedures].join(', ')}.`,
    )
}

const flatten = (plan: Plan): Plan[] => [plan, ...plan.children.flatMap(flatten)]

/** `ShowTransactions` as it is typed. */
const inWords = (operator: string) => operator.replace(/(?<=.)(?=[A-Z])/, ' ').toUpperCase()
