import { batchDelegateToSchema } from '@graphql-tools/batch-delegate'
import { delegateToSchema, type Transform } from '@graphql-tools/delegate'
import type { ExecutionRequest } from '@graphql-tools/utils'
import {
  type FieldNode,
  type GraphQLResolveInfo,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { ServiceError } from '../../contract/problems.ts'
import type { GraphqlSource, RequestContext } from './graph.ts'
import { noFilter } from './guard.ts'
import { ID, isMemoryId, type MemoryId, OWNER, ownerOfId, plainId } from './memory-id.ts'
import { filterMetadata } from './metadata.ts'
import type { Resolver } from './operations.ts'
import { asOfOf, contextOfChild, loadAsOf } from './past.ts'

/** The maximum number of memories of one read. */
const BATCH = 200

/** Delegates a read of the graph to the library. */
export const readGraph =
  ({ subschema }: GraphqlSource): Resolver =>
  (_root, args, requestContext, info) => {
    if (!requestContext.ctx.scopes.has('read'))
      throw new ServiceError(
        'forbidden',
        `This key does not have the scope read, which ${info.fieldName} needs.`,
      )
    if (args.where === null) throw noFilter('where')
    const transforms = [withIds(info, requestContext)]
    return delegateToSchema({
      schema: subschema,
      operation: OperationTypeNode.QUERY,
      args: args.where === undefined ? args : { ...args, where: filterMetadata(args.where) },
      context: requestContext,
      info,
      transforms,
    })
  }

/**
 * Reads memories by their ids. All memories of one field of a query come in one read. Memories that do not exist or are not
 * visible are null, or missing in a list.
 */
export const loadMemories =
  ({ subschema }: GraphqlSource): Resolver =>
  async (parent, _args, requestContext, info) => {
    const key = isMemoryId(parent) ? parent : (parent as Record<string, Key | undefined>)[info.fieldName]
    if (key === undefined || key === null) return null
    const asOf = asOfOf(parent)
    if (asOf !== undefined) return loadAllAsOf(requestContext, key, asOf)
    const found = await batchDelegateToSchema({
      schema: subschema,
      operation: OperationTypeNode.QUERY,
      fieldName: 'memories',
      key,
      argsFromKeys: ids => ({
        where: { id: { in: (ids as readonly MemoryId[]).map(plainId) } },
        limit: BATCH,
      }),
      valuesFromResults: (results, ids) => inOrder(results as Row[], ids as readonly MemoryId[]),
      selectionSet: selectionOf(info),
      // No cache: the next mutation of the same request may change the values.
      dataLoaderOptions: { cache: false, maxBatchSize: batchOf(requestContext) },
      context: contextOfChild(parent, requestContext),
      info,
      transforms: [withIds(info, requestContext)],
    })
    return Array.isArray(found) ? found.filter(row => row !== null) : found
  }

type Key = MemoryId | readonly MemoryId[] | null

/** An id may stand for a memory in each of two tenants. */
const batchOf = ({ ctx }: RequestContext) => (ctx.owner === undefined ? BATCH : BATCH / 2)

async function loadAllAsOf(requestContext: RequestContext, key: Exclude<Key, null>, asOf: string) {
  if (isMemoryId(key)) return loadAsOf(requestContext, key, asOf)
  return (await Promise.all(key.map(id => loadAsOf(requestContext, id, asOf)))).filter(each => each !== null)
}

type Row = Record<string, unknown>

function inOrder(rows: readonly Row[], ids: readonly MemoryId[]): (Row | null)[] {
  const byId = Map.groupBy(rows, row => row[ID])
  return ids.map(id => {
    const found = byId.get(plainId(id)) ?? []
    return found.find(row => row[OWNER] === ownerOfId(id)) ?? found[0] ?? null
  })
}

const selections = new WeakMap<readonly FieldNode[], SelectionSetNode>()

/** The merged selections of a field that a query selects more than once. Returns the same object for the same field. */
function selectionOf({ fieldNodes }: GraphQLResolveInfo): SelectionSetNode {
  const known = selections.get(fieldNodes)
  if (known) return known
  const merged = {
    kind: Kind.SELECTION_SET,
    selections: fieldNodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []),
  } satisfies SelectionSetNode
  selections.set(fieldNodes, merged)
  return merged
}

const fieldAs = (alias: string, name: string): FieldNode => ({
  kind: Kind.FIELD,
  alias: { kind: Kind.NAME, value: alias },
  name: { kind: Kind.NAME, value: name },
})

const names = [fieldAs(ID, 'id')]
const namesInBoth = [...names, fieldAs(OWNER, 'owner')]

/** Adds to each memory of a read what names it. */
const withIds = ({ schema }: GraphQLResolveInfo, { ctx }: RequestContext): Transform => ({
  transformRequest(request: ExecutionRequest): ExecutionRequest {
    const types = new TypeInfo(schema)
    const document = visit(
      request.document,
      visitWithTypeInfo(types, {
        SelectionSet: node =>
          types.getParentType()?.name === 'Memory'
            ? {
                ...node,
                selections: [...(ctx.owner === undefined ? names : namesInBoth), ...node.selections],
              }
            : undefined,
      }),
    )
    return { ...request, document }
  },
})
