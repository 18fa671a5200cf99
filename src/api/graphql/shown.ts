import type { RequestContext } from './graph.ts'

/** Parts of answers whose memories an operation has chosen though they are archived. */
const shownThoughArchived = new WeakSet<object>()

/** Marks an answer: its memories show, as the operation has chosen them for a time at which they were active. */
export function showArchived(answer: unknown) {
  if (typeof answer !== 'object' || answer === null) return
  if (!Array.isArray(answer)) shownThoughArchived.add(answer)
  for (const each of Object.values(answer)) showArchived(each)
}

/** The context in which the memories of a part of an answer are read. */
export const contextOfChild = (parent: unknown, requestContext: RequestContext): RequestContext =>
  shownThoughArchived.has(parent as object) ? showingNamed(requestContext) : requestContext

const showing = new WeakMap<RequestContext, RequestContext>()

/** The same object for the same request: reads are gathered by it. */
function showingNamed(requestContext: RequestContext): RequestContext {
  const known = showing.get(requestContext) ?? { ...requestContext, showsNamed: true }
  showing.set(requestContext, known)
  return known
}
