import { z } from 'zod'
import { route } from './route.ts'

const check = z.object({
  status: z.enum(['up', 'degraded', 'down']).describe('`degraded`: the service works, with limits.'),
  detail: z.string().nullable().describe('What is wrong, or a note; null if there is nothing to say.'),
})

const checks = z.object({
  neo4j: check.describe('Whether the database responds.'),
  schema: check.describe('Whether all migrations are applied.'),
  indexes: check.describe('Whether all indexes are online.'),
  embeddings: check.describe('Whether the embedding provider works.'),
  queue: check.describe('Whether workers keep up with the queue.'),
})

export type Checks = z.infer<typeof checks>

const readiness = z
  .object({
    status: z.enum(['ready', 'not_ready']).describe('Whether the service can handle requests.'),
    checks: checks.describe('The state of each part.'),
  })
  .meta({ id: 'Readiness', description: 'Whether the service can handle requests, and why not.' })

const none = z.strictObject({})
export const systemRoutes = {
  getAccess: route({
    method: 'GET',
    path: '/access',
    summary: 'See what the key of the request may do',
    description: 'A program can use it to offer only what the key allows.',
    input: none,
    output: z.object({
      tenant: z.string().describe('The tenant that the request acts in.'),
      owner: z
        .string()
        .nullable()
        .describe('The owner whose private memories the request can use; null if it uses shared ones alone.'),
      key_id: z
        .string()
        .nullable()
        .describe('The id of the key, `operator` for the operator key, or the subject of a token.'),
      operator: z.boolean().describe('Whether the key may act in every tenant.'),
      scopes: z
        .array(z.string())
        .describe('What the key allows: `read`, `write`, `delete`, `admin`, `cypher`.'),
    }),
    scope: 'read',
  }),
  getHealth: route({
    method: 'GET',
    path: '/health',
    summary: 'Check whether the process runs',
    description: 'Does not check the database. Needs no key.',
    input: none,
    output: z.object({
      status: z.literal('ok').describe('Always `ok`.'),
      version: z.string().describe('The version of the service.'),
      uptime_seconds: z.number().describe('How long the process has been running, in seconds.'),
    }),
    scope: 'open',
  }),
  getReadiness: route({
    method: 'GET',
    path: '/ready',
    summary: 'Check whether the service can handle requests',
    description: 'Returns status 503 with the same body if it cannot. Needs no key.',
    input: none,
    output: readiness,
    scope: 'open',
  }),
  getOpenApi: route({
    method: 'GET',
    path: '/openapi.json',
    summary: 'Fetch the OpenAPI description of the REST API',
    description: 'Needs no key.',
    input: none,
    output: z
      .looseObject({ openapi: z.string().describe('The version of OpenAPI.') })
      .describe('An OpenAPI document.'),
    scope: 'open',
  }),
}
