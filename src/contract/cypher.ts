import { z } from 'zod'
import { route } from './route.ts'

const operator = z
  .object({
    operator: z.string().describe('The operator, as Neo4j names it.'),
    details: z.string().describe('What it works on.'),
    depth: z.int().describe('How deep it lies in the plan; the result is at 0.'),
  })
  .meta({ id: 'PlanOperator', description: 'An operator of a query plan.' })

const MOST_PARAMETERS = 100
const LONGEST_NAME = 100
const MOST_BYTES = 256_000

/** `z.record` looks at each name, before their number could be refused. */
const parameters = z
  .custom<Record<string, unknown>>(
    value => typeof value === 'object' && value !== null && !Array.isArray(value),
    { error: 'must be an object of parameters by name', abort: true },
  )
  .refine(value => Object.keys(value).length <= MOST_PARAMETERS, {
    error: `must have at most ${MOST_PARAMETERS} names`,
    abort: true,
  })
  .refine(value => Object.keys(value).every(name => name.length <= LONGEST_NAME), {
    error: `must have names of at most ${LONGEST_NAME} characters`,
    abort: true,
  })
  .refine(value => JSON.stringify(value).length <= MOST_BYTES, {
    error: 'must be at most 256 kB as JSON',
    abort: true,
  })
  .meta({ type: 'object', additionalProperties: {} })

export const cypherRoutes = {
  runCypher: route({
    method: 'POST',
    path: '/cypher',
    summary: 'Query the graph of the tenant in Cypher, read-only',
    description: [
      'The query sees memories, their recalls and their connections, all of this tenant, as the page on the graph describes them.',
      '`$tenant` is the tenant. Clauses, functions and procedures that do more than read this graph are refused.',
      'A query may take 10 seconds and 64 MB of memory in Neo4j, and return 10,000 rows or 5 MB. Two queries of a tenant run at once.',
    ].join(' '),
    input: z.strictObject({
      query: z
        .string()
        .trim()
        .min(1)
        .max(10_000)
        .describe(
          'One statement in Cypher 25: MATCH, WITH, UNWIND, CALL { … }, RETURN and what belongs to them.',
        ),
      parameters: parameters
        .default({})
        .describe(
          'The parameters of the query by name, as JSON: at most 100, and 256 kB. Whole numbers are integers. Send those beyond 2^53 as text, and use toInteger() in the query.',
        ),
      explain: z.boolean().default(false).describe('Return the plan instead of running the query.'),
    }),
    output: z.object({
      columns: z.array(z.string()).describe('The names of the columns, in their order.'),
      rows: z
        .array(z.record(z.string(), z.unknown()))
        .describe(
          'The rows, by column. A memory is an object of its labels and properties, a connection one of its type and properties, a path a list of both. Times are text. Whole numbers from 2^53 on are text with all their digits, as are NaN, Infinity and -Infinity.',
        ),
      truncated: z.boolean().describe('Whether there were more rows than an answer holds.'),
      plan: z.array(operator).nullable().describe('The plan, outermost operator first, if `explain` is set.'),
    }),
    problems: ['cypher_not_allowed', 'cypher_failed'],
    scope: 'cypher',
  }),
}
