import express, { type Express } from 'express'
import type { App } from '../context.ts'
import type { Output } from '../contract/index.ts'
import { ServiceError } from '../contract/problems.ts'
import { assignRequestId, plainHeaders } from './http.ts'
import { crossOrigin } from './origins.ts'
import { prefixOf } from './prefix.ts'
import { answerProblem } from './problems.ts'
import { openApiDocument } from './rest/openapi.ts'
import { BASE_PATH } from './rest/routes.ts'

/** What the service answers until its database does: that it lives, what it offers, that it is not ready, and to come back. */
export function createWaiting({
  version,
  startedAt,
  log,
  config,
}: Pick<App, 'version' | 'startedAt' | 'log' | 'config'>): Express {
  const http = express().disable('x-powered-by').disable('etag')
  const at = (path: string) => [path, BASE_PATH + path]
  http.use(assignRequestId, plainHeaders, crossOrigin(config))
  http.get(at('/health'), (_req, res) => {
    const uptime_seconds = Math.round((Date.now() - startedAt) / 1000)
    res.json({ status: 'ok', version, uptime_seconds } satisfies Output<'getHealth'>)
  })
  http.get(at('/openapi.json'), (_req, res) => void res.json(openApiDocument(version, prefixOf(config))))
  http.get(at('/ready'), (_req, res) => void res.status(503).json(notReady))
  http.use(() => {
    throw new ServiceError('database_unavailable', 'The service is starting and has no database yet.', {
      retryAfterSeconds: 2,
    })
  })
  return http.use(answerProblem({ log, config }))
}

const starting = { status: 'down' as const, detail: 'not known while the service starts' }

const notReady: Output<'getReadiness'> = {
  status: 'not_ready',
  checks: { neo4j: starting, schema: starting, indexes: starting, embeddings: starting, queue: starting },
}
