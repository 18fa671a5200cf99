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
import { filterMetadataIn } from './metadata.ts'
import type { Resolver } from './operations.ts'
import { asOfOf, loadAsOf } from './past.ts'
import { contextOfChild, ID } from './shown.ts'

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
    const transforms = [withIds(info)]
    return delegateToSchema({
      schema: subschema,
      operation: OperationTypeNode.QUERY,
      args: args.where === undefined ? args : { ...args, where: filterMetadataIn(args.where) },
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
    const key =
      (typeof parent === 'string' ? parent : (parent as Record<string, unknown>)[info.fieldName]) ?? null
    if (key === null) return null
    const asOf = asOfOf(parent)
    if (asOf !== undefined) return loadAllAsOf(requestContext, key as string | readonly string[], asOf)
    const found = await batchDelegateToSchema({
      schema: subschema,
      operation: OperationTypeNode.QUERY,
      fieldName: 'memories',
      key,
      argsFromKeys: ids => ({ where: { id: { in: ids } }, limit: BATCH }),
      valuesFromResults: (results, ids) => inOrder(results as Row[], ids as readonly string[]),
      selectionSet: selectionOf(info),
      // No cache: the next mutation of the same request may change the values.
      dataLoaderOptions: { cache: false, maxBatchSize: BATCH },
      context: contextOfChild(parent, requestContext),
      info,
      transforms: [withIds(info)],
    })
    return Array.isArray(found) ? found.filter(row => row !== null) : found
  }

async function loadAllAsOf(requestContext: RequestContext, key: string | readonly string[], asOf: string) {
  if (typeof key === 'string') return loadAsOf(requestContext, key, asOf)
  return (await Promise.all(key.map(id => loadAsOf(requestContext, id, asOf)))).filter(each => each !== null)
}

type Row = Record<string, unknown>

function inOrder(rows: readonly Row[], ids: readonly string[]): (Row | null)[] {
  const byId = new Map(rows.map(row => [row[ID], row]))
  return ids.map(id => byId.get(id) ?? null)
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

const idField: FieldNode = {
  kind: Kind.FIELD,
  alias: { kind: Kind.NAME, value: ID },
  name: { kind: Kind.NAME, value: 'id' },
}

/** Adds the id to each memory of a read. */
const withIds = ({ schema }: GraphQLResolveInfo): Transform => ({
  transformRequest(request: ExecutionRequest): ExecutionRequest {
    const types = new TypeInfo(schema)
    const document = visit(
      request.document,
      visitWithTypeInfo(types, {
        SelectionSet: node =>
          types.getParentType()?.name === 'Memory'
            ? { ...node, selections: [idField, ...node.selections] }
            : undefined,
      }),
    )
    return { ...request, document }
  },
})
