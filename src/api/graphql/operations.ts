import { type GraphQLFieldResolver, type GraphQLResolveInfo, visit } from 'graphql'
import { fieldsOf } from '../../contract/fields.ts'
import {
  isStream,
  type Output,
  type RouteName,
  routeNames,
  routes,
  type StreamName,
} from '../../contract/index.ts'
import { controlsOf } from '../../contract/memory.ts'
import { invalid } from '../../contract/problems.ts'
import { isRead, type Route } from '../../contract/route.ts'
import { check, invoke } from '../../service/index.ts'
import type { RequestContext } from './graph.ts'
import { camel, lowerFirst, toContract, toGraphql } from './names.ts'
import { isOfThePast, showAsAsked } from './past.ts'

type Name = Exclude<RouteName, 'getOpenApi' | StreamName>
export type Resolver = GraphQLFieldResolver<unknown, RequestContext, Record<string, unknown>>

/** Makes this process refuse a revoked key immediately. */
export type Forget = (operation: RouteName, id: unknown) => void

/** A resolver for every route that needs a key and is not a stream, by its name. */
export const operations = (forget: Forget): Record<string, Resolver> =>
  Object.fromEntries(
    routeNames
      .filter((name): name is Name => routes[name].scope !== 'open' && !isStream(name))
      .map(name => [name, operation(name, forget)]),
  )

function operation(name: Name, forget: Forget): Resolver {
  const route: Route = routes[name]
  const controls = controlsOf(route)
  return async (_root, given, requestContext, info) => {
    refuseUnset(route, info)
    const { ifVersion, wait, idempotencyKey, ...args } = withDefaults(route, given, info)
    const asked = check(controls, toContract(controls, { ifVersion, wait, idempotencyKey }))
    const { if_version: version, wait: waitSeconds, idempotency_key: key } = asked
    const expectedVersions = version === undefined ? undefined : [version]
    const ctx = { ...requestContext.ctx, expectedVersions, waitSeconds }
    const input = inputOf(route, args, requestContext)
    const answer = await invoke(name, ctx, input, { idempotencyKey: key })
    forget(name, args.id)
    const shown = withChanged(name, wrapped(route, answer))
    showAsAsked(shown, input, (choosesMemories(route) && isOfThePast(input)) || name in changedMemories)
    return shown
  }
}

type Taken = Pick<Route, 'input' | 'narrows'> & Partial<Pick<Route, 'method'>>

/** Arguments that are refused when they are null: what limits what an operation changes, and what a change could clear. */
const strict = ({ method, narrows = [], input }: Taken): readonly string[] =>
  method === 'PATCH' ? [...narrows, ...(fieldsOf(input).clear?.items?.values ?? [])] : narrows

/** An argument that is null has its default, unless it must not be null. */
function withDefaults(
  route: Route,
  given: Readonly<Record<string, unknown>>,
  { parentType, fieldName }: GraphQLResolveInfo,
): Record<string, unknown> {
  const known = parentType.getFields()[fieldName]?.args ?? []
  const defaults = new Map(known.map(({ name, defaultValue }) => [name, defaultValue]))
  const kept = strict(route).map(camel)
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      value ?? (kept.includes(name) ? null : defaults.get(name)),
    ]),
  )
}

/** A variable without a value would do to more memories what an argument limits. @throws ServiceError `validation_failed` */
function refuseUnset({ narrows = [] }: Route, { fieldNodes, variableValues }: GraphQLResolveInfo) {
  const names = narrows.map(camel)
  for (const argument of fieldNodes.flatMap(({ arguments: given = [] }) => given)) {
    if (!names.includes(argument.name.value)) continue
    visit(argument.value, {
      Variable({ name: { value } }) {
        if (variableValues[value] === undefined)
          throw invalid(
            `/${argument.name.value}`,
            'empty',
            `has the variable \`${value}\`, which has no value`,
          )
      },
    })
  }
}

/** A directive on the query includes archived memories. */
export function inputOf(
  route: Taken,
  args: Record<string, unknown>,
  { includeArchived }: RequestContext,
): unknown {
  const input = toContract(route.input, args, strict(route)) as Record<string, unknown>
  if (!('include_archived' in route.input.shape)) return input
  if (input.state === 'archived' && !includeArchived)
    throw invalid('/state', 'archived_not_asked', 'can be `archived` only in a query with `@includeArchived`')
  return { ...input, include_archived: includeArchived }
}

/** A mutation returns a payload, to which fields can be added. A named output is a field of it. */
function wrapped(route: Route, answer: unknown): unknown {
  const id = route.output.meta()?.id as string | undefined
  const shown = toGraphql(route.output, answer)
  if (isRead(route) || id === undefined) return shown
  if (id === 'CreatedMemory') {
    const { duplicate_of: duplicateOf = null, not_stored: notStored = null } =
      answer as Output<'createMemory'>
    return { memory: shown, duplicateOf, notStored }
  }
  return { [lowerFirst(id)]: shown }
}

/** A list of connections takes a time too, at which they must hold: it chooses no memories. */
const choosesMemories = ({ input }: Route) => 'tags' in input.shape

/** The memories that a mutation has changed, and the fields that name them: caches update by them. */
export const changedMemories: Readonly<Partial<Record<Name, Readonly<Record<string, string>>>>> = {
  deleteMemory: { memory: 'id' },
  resolveConflict: { kept: 'keptId', archived: 'archivedId' },
}

function withChanged(name: Name, shown: unknown): unknown {
  const named = Object.entries(changedMemories[name] ?? {})
  if (named.length === 0) return shown
  const fields = shown as Record<string, unknown>
  return { ...fields, ...Object.fromEntries(named.map(([field, id]) => [field, fields[id]])) }
}
