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

/** Parts of answers that show the graph as it was at a time. */
const past = new WeakMap<object, string>()

/** Marks an answer: its memories are read as of a time. */
export function showAsOf(answer: unknown, asOf: string) {
  if (typeof answer !== 'object' || answer === null) return
  if (!Array.isArray(answer)) past.set(answer, asOf)
  for (const each of Object.values(answer)) showAsOf(each, asOf)
}

/** The time as of which a part of an answer is. */
export const asOfOf = (parent: unknown): string | undefined =>
  typeof parent === 'object' && parent !== null ? past.get(parent) : undefined

/** The time that is asked for. */
export const askedAsOf = (input: unknown): string | undefined => (input as { as_of?: string }).as_of

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
  past.set(shown, asOf)
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
