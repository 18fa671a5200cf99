import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { type GraphQLSchema, printSchema } from 'graphql'
import { isKnown } from '../etag.ts'

const header = `# The GraphQL schema of Mnemograph, whole and as it is served: for code generators, editors and other tools.

`

export const printServed = (schema: GraphQLSchema): string => `${header}${printSchema(schema)}\n`

type File = { readonly text: string; readonly etag: string }
const files = new WeakMap<GraphQLSchema, File>()

function fileOf(schema: GraphQLSchema): File {
  const known = files.get(schema)
  if (known) return known
  const text = printServed(schema)
  const file = { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` }
  files.set(schema, file)
  return file
}

/** Answers with the schema as a file. It has no data of a tenant, so a browser may keep it and ask whether it changed. */
export function sendSchema(schema: GraphQLSchema, req: Request, res: Response) {
  const { text, etag } = fileOf(schema)
  res.set({ ETag: etag, 'Cache-Control': 'private, no-cache' })
  if (isKnown(req, etag)) return void res.status(304).end()
  res.type('application/graphql').send(text)
}
