import { Neo4jError } from 'neo4j-driver'
import { LONGEST_MS } from './query.ts'

/** What callers are told, the most specific first. Texts of the database can hold values, so none is ever shown. */
const sentences: readonly (readonly [statuses: string, sentence: string])[] = [
  ['22012', 'A number is divided by zero.'],
  ['22N28', 'A calculation leaves the range of 64-bit integers.'],
  ['22007 22N36 22N12', 'A value is no date, time or duration. Use ISO 8601, or a map of known fields.'],
  ['22N01 22N27 22NB1 22G03', 'A value has a type that its operator, function or clause does not take.'],
  ['22003 42N31', 'A number is outside the range that is allowed there.'],
  ['22N38 22N11 22N03', 'A function has an argument that it does not take.'],
  ['42I18', 'An expression mixes an aggregation with other values. Name these in a WITH before it.'],
  ['42N38', 'Two columns have the same name.'],
  ['42N21', 'An expression in WITH needs a name: AS name.'],
  ['42N39', 'All parts of a UNION must return the same columns.'],
  ['42N22', 'COLLECT must return one column.'],
  ['42N48 42I16', 'A function is unknown, or its argument describes no value of its type.'],
  ['51N23', 'A shortest path begins and ends at two different memories: match both before it, WHERE a <> b.'],
  ['51N72 51N73', 'The query needs more memory than a query may have.'],
]
const OTHERWISE = 'Neo4j cannot run this query.'

export const TOO_LONG = `The query took longer than ${LONGEST_MS / 1000} seconds.`

const OF_THE_QUERY =
  /^Neo\.(ClientError\.Statement|DatabaseError\.(Statement|General)|TransientError\.General\.MemoryPool)/

/** Why a query failed; undefined where the query is not the cause. */
export function queryFault(error: unknown): string | undefined {
  if (!(error instanceof Neo4jError)) return undefined
  if (/TransactionTimedOut|Terminated/.test(error.code)) return TOO_LONG
  return OF_THE_QUERY.test(error.code) ? sentenceOf(error) : undefined
}

/** The database names a fault by several statuses, from the class to the cause. */
function sentenceOf(error: Neo4jError): string {
  const named: string[] = []
  for (let each: unknown = error; isStatus(each); each = each.cause) named.push(each.gqlStatus)
  const known = sentences.find(([statuses]) => named.some(status => statuses.includes(status)))
  return known?.[1] ?? OTHERWISE
}

const isStatus = (value: unknown): value is { gqlStatus: string; cause?: unknown } =>
  typeof (value as { gqlStatus?: unknown } | undefined)?.gqlStatus === 'string'
