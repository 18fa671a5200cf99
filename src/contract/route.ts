import { z } from 'zod'
import { closedSet } from './closed-sets.ts'
import type { ProblemCode } from './problem-codes.ts'

/** In the order in which they are shown. `cypher` is part of no other one. */
export const scopes = closedSet('Scope').options

export type Scope = (typeof scopes)[number]

/**
 * An operation as data. Its key in the record of routes is its only name: operation id, client method, MCP tool,
 * GraphQL operation, handler. `input` is one flat object: names that stand in the path come from the path, the
 * rest from the query (GET, DELETE) or from the body (POST, PATCH, PUT).
 */
export type Route<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Below the base path, names in braces. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly input: Input
  readonly output: Output
  readonly status?: 200 | 201
  /** Of a request that found what it would have made. */
  readonly otherStatus?: 200
  /** Its answer is a `textStream` in one of these media types; every other answer is JSON. */
  readonly mediaTypes?: readonly string[]
  readonly problems?: readonly ProblemCode[]
  /** What a key must be allowed to do; `open` needs no key at all. */
  readonly scope: Scope | 'open'
  /** It makes something new: `Idempotency-Key` is honoured. */
  readonly creates?: true
  /** Its answer is a memory: `ETag` is sent. */
  readonly answersMemory?: true
  /** `Prefer: wait=N` is honoured: it answers when queued work is done. */
  readonly waits?: true
  /** Fields that limit what it changes. No interface takes null or empty text in them for something that was not given. */
  readonly narrows?: readonly string[]
  /** Which precondition headers it honours. */
  readonly precondition?: 'If-Match' | 'If-None-Match'
}

/** An answer that is made while it is read: text, piece by piece. */
export type TextStream = {
  readonly mediaType: string
  /** Under which name a browser keeps it. */
  readonly fileName?: string | undefined
  readonly pieces: AsyncIterable<string>
}

/** The output of a route with `mediaTypes`. */
export const textStream = z.custom<TextStream>()

/** Keeps the exact types of one route. */
export const route = <Input extends z.ZodObject, Output extends z.ZodType>(
  definition: Route<Input, Output>,
) => definition

/** Whether an operation changes nothing. */
export const isRead = ({ method, scope }: Pick<Route, 'method' | 'scope'>) =>
  method === 'GET' || scope === 'read' || scope === 'cypher'

/** Where a route reads its input, except the names in its path: the body, or the query. */
export const hasBody = ({ method }: Pick<Route, 'method'>) => method !== 'GET' && method !== 'DELETE'

const namesOfPaths = new Map<string, readonly string[]>()

/** The names in braces in a route's path. */
export function namesInPath(path: string): readonly string[] {
  const known = namesOfPaths.get(path)
  if (known) return known
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), match => match[1] as string)
  namesOfPaths.set(path, names)
  return names
}
