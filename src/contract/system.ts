import { z } from 'zod'
import { route } from './route.ts'

const check = z.object({
  status: z.enum(['up', 'degraded', 'down']),
  detail: z.string().nullable(),
})

const checks = z.object({
  neo4j: check,
  schema: check,
  indexes: check,
  embeddings: check,
  queue: check,
})

export type Checks = z.infer<typeof checks>

const readiness = z.object({ status: z.enum(['ready', 'not_ready']), checks }).meta({ id: 'Readiness' })

const none = z.strictObject({})
const group = 'Service'

export const systemRoutes = {
  getHealth: route({
    method: 'GET',
    path: '/health',
    group,
    summary: 'Is the process alive',
    input: none,
    output: z.object({ status: z.literal('ok'), version: z.string(), uptime_seconds: z.number() }),
    problems: [],
    scope: 'open',
  }),
  getReadiness: route({
    method: 'GET',
    path: '/ready',
    group,
    summary: 'Can it serve',
    description: 'Answers 503 with the same body while it cannot.',
    input: none,
    output: readiness,
    problems: [],
    scope: 'open',
  }),
  getOpenApi: route({
    method: 'GET',
    path: '/openapi.json',
    group,
    summary: 'This description',
    input: none,
    output: z.looseObject({ openapi: z.string() }),
    problems: [],
    scope: 'open',
  }),
}
