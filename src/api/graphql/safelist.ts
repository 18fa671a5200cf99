import { hash } from 'node:crypto'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import type { Safelist } from '../../platform/safelist.ts'
import { isKnown } from '../etag.ts'

/** Accepts only operations of the list, and inserts their texts. The service does not parse any other. */
export const onlySafelisted = (safelist: Safelist): RequestHandler =>
  function requireSafelisted(req: Request, res: Response, next: NextFunction) {
    const asked = req.method === 'GET' ? inQuery(req) : (req.body as Asked)
    const { documentId, ...rest } = asked
    const { persistedQuery, ...extensions } = rest.extensions ?? {}
    const id = documentId ?? persistedQuery?.sha256Hash
    const text = safelist({ id, query: rest.query })
    if (text === undefined) return void refuse(res)
    if (req.method !== 'GET') req.body = { ...rest, query: text, extensions }
    else {
      req.url = `${req.path}?${searchOf(rest, text)}`
      if (id !== undefined) tagAnswer(req, res)
    }
    next()
  }

/** A browser may keep an answer to a known document, and ask whether it has changed. */
function tagAnswer(req: Request, res: Response) {
  const send = res.send.bind(res)
  res.send = body => {
    if (res.statusCode !== 200 || typeof body !== 'string') return send(body)
    const etag = `"${hash('sha256', body, 'base64url')}"`
    res.set({ ETag: etag, 'Cache-Control': 'private, no-cache' })
    return isKnown(req, etag) ? res.status(304).end() : send(body)
  }
}

type Asked = {
  documentId?: unknown
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
