import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import type { Context } from '../../context.ts'
import { type Memory, memory } from '../../contract/memory.ts'
import { invalid } from '../../contract/problems.ts'
import { partsOf } from '../../service/access/private.ts'
import { memoriesAt } from '../../service/memories/as-of.ts'
import { load } from './batches.ts'
import type { RequestContext } from './graph.ts'
import { ID, type MemoryId, OWNER, plainId } from './memory-id.ts'
import { toGraphql } from './names.ts'

/** Without its id, by which answers name a memory. */
const values = memory.omit({})

/** How the memories of a part of an answer are read: as of a time, and though they are archived. */
type Reading = { readonly asOf: string | undefined; readonly archived: boolean }

const readings = new WeakMap<object, Reading>()

/** Marks an answer: its memories are read as of the time that is asked for, and show though they are archived if it chose them. */
export function showAsAsked(answer: unknown, input: unknown, archived = isOfThePast(input)) {
  const { as_of: asOf } = input as { as_of?: string | undefined }
  if (archived || asOf !== undefined) mark(answer, { asOf, archived })
}

function mark(answer: unknown, reading: Reading) {
  if (typeof answer !== 'object' || answer === null) return
  if (!Array.isArray(answer)) readings.set(answer, reading)
  for (const each of Object.values(answer)) mark(each, reading)
}

/** Whether memories that are archived now are asked for, as they were active then. */
export function isOfThePast(input: unknown): boolean {
  const { valid_at: at } = input as { valid_at?: unknown }
  return typeof at === 'string' && at !== 'now' && at !== 'any'
}

/** The time as of which a part of an answer is. */
export const asOfOf = (parent: unknown): string | undefined => readings.get(parent as object)?.asOf

/** The context in which the memories of a part of an answer are read. */
export const contextOfChild = (parent: unknown, requestContext: RequestContext): RequestContext =>
  readings.get(parent as object)?.archived ? showingNamed(requestContext) : requestContext

const showing = new WeakMap<RequestContext, RequestContext>()

/** The same object for the same request: reads are gathered by it. */
function showingNamed(requestContext: RequestContext): RequestContext {
  const known = showing.get(requestContext) ?? { ...requestContext, showsNamed: true }
  showing.set(requestContext, known)
  return known
}

/** A memory as of a time, whose own connections are as of that time too. */
export async function loadAsOf(
  requestContext: RequestContext,
  given: MemoryId,
  asOf: string,
): Promise<unknown> {
  const id = plainId(given)
  const found = await load(requestContext, `as of ${asOf}`, id, ids => allAt(requestContext.ctx, ids, asOf))
  if (found === undefined) return null
  const shown = { ...(toGraphql(values, found) as object), [ID]: id, [OWNER]: (found as Memory).owner }
  readings.set(shown, { asOf, archived: false })
  return shown
}

/** Of two with one id, the private one. */
async function allAt(ctx: Context, ids: readonly string[], asOf: string): Promise<Map<string, Memory>> {
  const parts = await Promise.all(partsOf(ctx).map(part => memoriesAt(part, ids, Date.parse(asOf))))
  return new Map(parts.flatMap(part => [...part]))
}

/** The fields of a memory that only the library reads cannot be read as of a time. */
export function refusePast(type: GraphQLObjectType, own: Readonly<Record<string, unknown>>) {
  for (const field of Object.values(type.getFields())) {
    const { resolve } = field
    if (own[`${type.name}.${field.name}`] || !isObjectType(getNamedType(field.type)) || !resolve) continue
    field.resolve = (parent, args, requestContext, info) => {
      if (asOfOf(parent) !== undefined)
        throw invalid(`/${field.name}`, 'unknown_field', 'is not read as of a time. Use `connections`')
      return resolve(parent, args, requestContext, info)
    }
  }
}
