import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import type { Safelist } from '../../platform/safelist.ts'

/** Accepts only operations of the list, and inserts their texts. The service does not parse any other. */
export const onlySafelisted = (safelist: Safelist): RequestHandler =>
  function requireSafelisted(req: Request, res: Response, next: NextFunction) {
    const asked = req.method === 'GET' ? inQuery(req) : (req.body as Asked)
    const { persistedQuery, ...extensions } = asked.extensions ?? {}
    const text = safelist({ id: persistedQuery?.sha256Hash, query: asked.query })
    if (text === undefined) return void refuse(res)
    if (req.method === 'GET') req.url = `${req.path}?${searchOf(asked, text)}`
    else req.body = { ...asked, query: text, extensions }
    next()
  }

type Asked = {
  query?: unknown
  operationName?: unknown
  variables?: unknown
  extensions?: { persistedQuery?: { sha256Hash?: unknown } }
}

function inQuery({ query: { extensions, ...rest } }: Request): Asked {
  const parsed = z.looseObject({ persistedQuery: z.object({ sha256Hash: z.string() }) })
  const given = parsed.safeParse(fromJson(extensions))
  return { ...rest, ...(given.success ? { extensions: given.data } : {}) }
}

function fromJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

const searchOf = ({ operationName, variables }: Asked, query: string) =>
  new URLSearchParams({
    query,
    ...(typeof operationName === 'string' ? { operationName } : {}),
    ...(typeof variables === 'string' ? { variables } : {}),
  })

function refuse(res: Response) {
  const { requestId } = res.locals
  const message = 'This service answers only the operations on its list.'
  res.status(403).json({ errors: [{ message, extensions: { code: 'QUERY_NOT_LISTED', requestId } }] })
}
