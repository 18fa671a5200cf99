import type { z } from 'zod'
import type { Context } from '../context.ts'
import { messageOf } from '../contract/faults.ts'
import { type Output, type Parsed, type RouteName, routes } from '../contract/index.ts'
import { toPointer } from '../contract/pointers.ts'
import { type FieldFault, MAXIMUM_FAULTS, ServiceError } from '../contract/problems.ts'
import { isRead, type Route, type Scope } from '../contract/route.ts'

import * as audit from './access/audit.ts'
import { runOnce, runUnkeyed } from './access/idempotency.ts'
import * as keys from './access/keys.ts'
import { tenantsOf } from './access/private.ts'
import { putQuota } from './access/quotas.ts'
import * as records from './access/records.ts'
import * as tenants from './access/tenants.ts'
import { placed } from './access/visibility.ts'
import { exportBundle } from './bundle/export.ts'
import { importBundle } from './bundle/import.ts'
import { extractFactsOf } from './chat-model/extraction.ts'
import * as conflicts from './connections/conflicts.ts'
import * as connections from './connections/connections.ts'
import { reviewConflict } from './connections/suspicions.ts'
import { runCypher } from './cypher/run.ts'
import * as spaces from './embeddings/spaces.ts'
import { listChanges } from './feed/changes.ts'
import { followChanges } from './feed/events.ts'
import { listCommunities } from './graph/communities/list.ts'
import { composeContext } from './graph/context/index.ts'
import { exportGraph } from './graph/export/index.ts'
import { findPath } from './graph/path.ts'
import { relatedMemories } from './graph/related.ts'
import type { Handler } from './handler.ts'
import * as insights from './insights.ts'
import * as jobs from './jobs/jobs.ts'
import * as queue from './jobs/queue.ts'
import * as erasure from './lifecycle/erasure.ts'
import * as maintenance from './lifecycle/maintenance.ts'
import * as policies from './lifecycle/policies.ts'
import { groupMemories } from './memories/groups.ts'
import * as history from './memories/history.ts'
import { listMemories } from './memories/list.ts'
import * as memories from './memories/memories.ts'
import { addTurns } from './memories/turns.ts'
import { listValues } from './memories/values-in-use.ts'
import { searchMemories } from './search/search.ts'
import { getStats } from './stats.ts'
import { unknownField, unset } from './suggestions.ts'
import * as system from './system.ts'
import * as webhooks from './webhooks/webhooks.ts'

/** REST makes the OpenAPI description itself. */
type Handled = Exclude<RouteName, 'getOpenApi'>
type Handlers = { [Name in Handled]: Handler<Name> }

/** In the modules of most nouns a handler has the name of its operation. */
const handlers: Handlers = {
  ...memories,
  ...history,
  ...insights,
  ...connections,
  ...conflicts,
  ...webhooks,
  ...maintenance,
  ...erasure,
  ...keys,
  ...tenants,
  ...records,
  ...jobs,
  ...queue,
  ...spaces,
  ...system,
  addTurns,
  extractFacts: extractFactsOf,
  listTags: listValues('tags', 'listTags'),
  listSources: listValues('sources', 'listSources'),
  listSessions: listValues('sessions', 'listSessions'),
  listKinds: listValues('kinds', 'listKinds'),
  groupMemories,
  listMemories,
  searchMemories,
  composeContext,
  relatedMemories,
  findPath,
  exportGraph,
  getStats,
  listCommunities,
  runCypher,
  reviewConflict,
  listChanges,
  followChanges,
  exportBundle,
  importBundle,
  putQuota,
  listPolicies: policies.listPolicies,
  putPolicy: policies.putPolicy,
  deletePolicy: policies.deletePolicy,
  listAudit: audit.listAudit,
}

type Handle<Name extends RouteName, Result> = (ctx: Context, input: Parsed<Name>) => Promise<Result>

type Options<Name extends RouteName, Result> = {
  /** Runs an operation that creates once for each key: whichever API the key and its repeats come through. */
  readonly idempotencyKey?: string | undefined
  /** What an API does with the checked input in place of the handler: the same, in another form. */
  readonly handle?: Handle<Name, Result> | undefined
}

/**
 * The one way in: checks what the key allows, then what is asked, then does it. The response to an idempotency key is kept
 * with what was created, private or shared, and is erased with it.
 * @throws ServiceError for every expected failure
 */
export async function invoke<Name extends RouteName, Result = Output<Name>>(
  name: Name,
  ctx: Context,
  raw: unknown,
  { idempotencyKey: key, handle = handlers[name as Handled] as never }: Options<Name, Result> = {},
): Promise<Result> {
  const isAudited = audit.isAudited(name, raw)
  if (!isAudited) permit(name, ctx)
  const acting = await placed(name, ctx, raw)
  const run = async (inner: Context) => {
    const input = await policies.withPolicyNames(inner, () => admit(name, inner, raw))
    const act = (each: Context) => handle(each, input)
    if (key !== undefined) return runOnce(inner, { key, operation: name, input }, act)
    return (routes[name] as Route).creates ? runUnkeyed(inner, input, act) : act(inner)
  }
  const output = await (isAudited ? audit.audited(acting, name, run) : run(acting))
  if (!isRead(routes[name])) for (const tenant of tenantsOf(acting)) ctx.app.feed.notice(tenant)
  return output
}

/** Refuses a caller before anything else is looked at, with an entry in the audit log where it has one for the operation. */
export async function permitRecorded(name: RouteName, ctx: Context, raw: unknown) {
  const isPermitted = async () => permit(name, ctx)
  await (audit.isAudited(name, raw) ? audit.audited(ctx, name, isPermitted) : isPermitted())
}

function admit<Name extends RouteName>(name: Name, ctx: Context, raw: unknown): Parsed<Name> {
  permit(name, ctx)
  return check(routes[name].input, raw) as Parsed<Name>
}

/** @throws ServiceError `forbidden` when the key may not call the operation */
export function permit(name: RouteName, ctx: Context) {
  const { scope } = routes[name]
  if (scope !== 'open' && !ctx.scopes.has(scope))
    throw new ServiceError(
      'forbidden',
      `This key does not have the scope ${scope}, which ${name} needs. ${remedyOf(scope)}`,
    )
}

const remedyOf = (scope: Scope) =>
  scope === 'cypher'
    ? 'No other scope includes it. Create a key that names it: mnemograph keys create --scopes read,cypher.'
    : 'Use a key with that scope.'

/** What a schema makes of an input. @throws ServiceError `validation_failed` */
export function check<Schema extends z.ZodType>(schema: Schema, raw: unknown): z.output<Schema> {
  const parsed = schema.safeParse(raw, { reportInput: true })
  if (!parsed.success) throw refusal(schema, parsed.error)
  return parsed.data
}

function refusal(schema: z.ZodType, { issues }: z.ZodError): ServiceError {
  const faults = issues.slice(0, MAXIMUM_FAULTS).flatMap(issue => faultsOf(schema, issue))
  const faultCount = issues.reduce((sum, issue) => sum + countOf(issue), 0)
  const first = faults[0]
  const more = faultCount > 1 ? ` (and ${faultCount - 1} more)` : ''
  return new ServiceError('validation_failed', `${first?.message}${more}`, { faults, faultCount })
}

const countOf = (issue: z.core.$ZodIssue) => (issue.code === 'unrecognized_keys' ? issue.keys.length : 1)

function faultsOf(schema: z.ZodType, issue: z.core.$ZodIssue): FieldFault[] {
  const pointer = toPointer(issue.path)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, MAXIMUM_FAULTS).map(key => ({
      pointer: `${pointer}${toPointer([key])}`,
      code: 'unknown_field',
      message: unknownField(schema, issue.path, key),
    }))
  return [{ pointer, code: issue.code ?? 'invalid', message: unset(schema, issue) ?? messageOf(issue) }]
}
