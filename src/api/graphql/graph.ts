import { readFileSync } from 'node:fs'
import { setImmediate as runOthers } from 'node:timers/promises'
import type { SubschemaConfig } from '@graphql-tools/delegate'
import { MapperKind, mapSchema, pruneSchema } from '@graphql-tools/utils'
import { Neo4jGraphQL } from '@neo4j/graphql'
import { execute, type GraphQLSchema, Kind, parse, printSchema } from 'graphql'
import type { Context } from '../../context.ts'
import { packageFolder } from '../../platform/package-folder.ts'
import { tenantsOf } from '../../service/access/private.ts'
import { runRead } from '../../service/graph/reads.ts'
import { composed } from './composing.ts'
import { guard, withArguments } from './guard.ts'
import { enumType } from './json-types.ts'
import { filterMetadata, metadataFilter } from './metadata.ts'
import { rewritten } from './rewriting.ts'

/** The context of a request in the resolvers. */
export type RequestContext = {
  readonly ctx: Context
  readonly includeArchived: boolean
  /** The memories that are read by their ids show though they are archived; what is below them does not. */
  readonly showsNamed?: boolean
}

export type GraphqlSource = {
  /** The schema of the library, with internal fields. */
  readonly inner: GraphQLSchema
  /** Executes the reads of the graph. */
  readonly subschema: SubschemaConfig
  /** The part of it that is served, as SDL. */
  readonly served: string
}

/** The definitions in a file of `schema/`. */
export const readSchema = (name: string) => readFileSync(new URL(`schema/${name}`, packageFolder), 'utf8')

/** Creates the reads of the graph from `schema/types.graphql`. This takes long: do it once for a process. Others run between its steps. */
export async function makeGraph(): Promise<GraphqlSource> {
  const typeDefs = parse(
    [readSchema('types.graphql'), enumType('MemoryState'), enumType('ConnectionOrigin')].join('\n'),
  )
  const library = new Neo4jGraphQL({
    typeDefs,
    resolvers: Object.fromEntries(
      typeDefs.definitions.flatMap(definition =>
        definition.kind === Kind.ENUM_TYPE_DEFINITION
          ? [[definition.name.value, inGraph((definition.values ?? []).map(({ name }) => name.value))]]
          : [],
      ),
    ),
    // Its validation does not accept a rule that compares a number with a value of the request.
    validate: false,
    features: {
      excludeDeprecatedFields: {
        mutationOperations: true,
        aggregationFilters: true,
        aggregationFiltersOutsideConnection: true,
        relationshipFilters: true,
        attributeFilters: true,
      },
    },
  })
  await runOthers()
  const inner = await library.getSchema()
  await runOthers()
  const subschema: SubschemaConfig = {
    schema: inner,
    executor: ({ document, variables = {}, context }) => {
      const requestContext = context as unknown as RequestContext
      const visible = visibleTo(requestContext)
      const query = withArguments(inner, { document, variables }, (value, type) =>
        guard(filterMetadata(composed(value)), type, visible),
      )
      return execute({
        schema: inner,
        document: query.document,
        variableValues: query.variables,
        contextValue: libraryContext(requestContext),
      }) as never
    },
  }
  const shown = mapSchema(inner, withoutHidden)
  await runOthers()
  const served = pruneSchema(shown)
  await runOthers()
  return { inner, subschema, served: withMetadata(printSchema(served)) }
}

/** The graph stores the values of enums in lower case. */
const inGraph = (names: readonly string[]) =>
  Object.fromEntries(names.map(name => [name, name.toLowerCase()]))

/** The library has no filter on what it keeps as a text. */
const withMetadata = (served: string) =>
  served.replace('input MemoryWhere {', `input MemoryWhere {\n${metadataFilter}`)

/** Fields of a memory that only its rule needs, and counts of related memories, to which no rule applies. */
const withoutHidden = {
  [MapperKind.INPUT_OBJECT_FIELD]: (_: unknown, field: string, type: string) =>
    field === 'tenant' ||
    field === 'liveUntil' ||
    field === 'metadataKeys' ||
    (field === 'aggregate' && type.endsWith('ConnectionFilters'))
      ? null
      : undefined,
}

/** The values that the rule in `types.graphql` compares with. */
const libraryContext = ({ ctx, includeArchived, showsNamed = false }: RequestContext) => ({
  jwt: {
    tenant: ctx.tenant,
    tenants: tenantsOf(ctx),
    active: 'active',
    now: Date.now(),
    alsoShown: includeArchived || showsNamed ? ['archived'] : [],
  },
  executionContext: {
    run: (text: string, parameters: Record<string, unknown>) =>
      run(ctx, rewritten(text, { includeArchived, showsNamed, inBoth: ctx.owner !== undefined }), parameters),
  },
})

/** The same rule as a filter. */
const visibleTo = ({ ctx, includeArchived }: RequestContext) => ({
  tenant: ctx.owner === undefined ? { eq: ctx.tenant } : { in: tenantsOf(ctx) },
  OR: [
    { state: { eq: 'ACTIVE' }, liveUntil: { gt: String(Date.now()) } },
    ...(includeArchived ? [{ state: { eq: 'ARCHIVED' } }] : []),
  ],
})

/** Runs a query of the library like every read, within the time limit of the request. The library uses only the rows. */
async function run(ctx: Context, text: string, parameters: Record<string, unknown>) {
  const rows = await runRead(ctx, text, parameters)
  return {
    records: rows.map(row => ({
      toObject: () => row,
      [Symbol.iterator]: () => Object.values(row)[Symbol.iterator](),
    })),
    summary: { counters: { updates: () => ({}) } },
  }
}
