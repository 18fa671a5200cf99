import type { Context, Space } from '../../context.ts'
import type { LineOf } from '../../contract/bundle.ts'
import { ownerOf } from '../../contract/private.ts'
import type { Usage } from '../../contract/tenants.ts'
import { mapInSlices } from '../../platform/time-slices.ts'
import { charactersOf, lockQuotas } from '../../store/access/usage.ts'
import {
  type ImportOptions,
  type ImportOutcome,
  lastVersions,
  makeRoom,
  putRecalls,
} from '../../store/bundle/import-memories.ts'
import { ownVector } from '../../store/embeddings/vectors.ts'
import { withoutPolicy } from '../../store/lifecycle/policies.ts'
import type { MemoryChange } from '../../store/memories/change.ts'
import { propertiesOf } from '../../store/memories/fields.ts'
import { BURST_MS } from '../../store/memories/recalls.ts'
import { has, lockStates, type MemoryState, readStates } from '../../store/memories/states.ts'
import { int, read, type Transaction, transact } from '../../store/neo4j/statements.ts'
import { keyProperties, liveUntilOf, scopeToken } from '../../store/neo4j/tokens.ts'
import { withoutVectors } from '../memories/rules.ts'
import { changeWithin } from '../memories/unit.ts'

export type ImportedMemory = LineOf<'memories'> & {
  vector: { values: Float32Array; truncated: boolean } | null
}

/** Where the vectors of a bundle belong; undefined where they are not kept here. */
type Into = { readonly space: Space | undefined; readonly options: ImportOptions }

/**
 * Imports memories with their ids, figures and times, in one transaction. Returns an outcome for each. Running it again
 * changes nothing. A memory that changes gets a new version, as no version names two texts; one whose id maintenance has
 * removed takes its place. @throws ServiceError `quota_exceeded`, or `validation_failed` where a policy is gone
 */
export async function importMemories(
  ctx: Context,
  memories: readonly ImportedMemory[],
  { space, options }: Into,
): Promise<ImportOutcome[]> {
  const lines = await mapInSlices(memories, memory => lineOf(ctx, memory, space))
  const limit = await ctx.app.quotas.limitOf(ctx)
  return transact(ctx, async transaction => {
    const states = await lockStates(transaction, ctx.space, wholeOf(ctx, memories))
    const decided = decide(lines, states, options)
    const taken = decided.filter(({ isTaken }) => isTaken)
    await withinBounds(ctx, transaction, taken, limit)
    const created = decided.filter(({ outcome }) => outcome === 'created')
    const ids = taken.map(({ line }) => line.id).sort()
    const versions = ids.length === 0 ? new Map() : await lastVersions(transaction, ctx.tenant, ids)
    if (created.length > 0) await makeRoom(transaction, ctx.tenant, created.map(({ line }) => line.id).sort())
    const changes = decided
      .map(each => changeOf(ctx, each, versions.get(each.line.id) ?? 0, { space, options }))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
    await changeWithin(transaction, { ...ctx, space: space ?? ctx.space }, changes)
    if (taken.length > 0)
      await putRecalls(
        transaction,
        ctx.tenant,
        taken.map(({ line }) => line),
      )
    return decided.map(({ outcome }) => outcome)
  })
}

/** What `importMemories` would do. */
export async function dryRunMemories(
  ctx: Context,
  memories: readonly ImportedMemory[],
  options: ImportOptions,
): Promise<ImportOutcome[]> {
  const lines = await mapInSlices(memories, memory => lineOf(ctx, memory, undefined))
  const states = await readStates(
    (text, parameters) => read(ctx, text, parameters),
    ctx.space,
    wholeOf(ctx, memories),
  )
  return decide(lines, states, options).map(({ outcome }) => outcome)
}

const wholeOf = ({ tenant }: Context, memories: readonly ImportedMemory[]) =>
  memories.map(({ id }) => ({ tenant, id, isWhole: true }))

type Imported = ReturnType<typeof lineOf>

/** `figures` is what the bundle says and what is compared; `derived` follows from it. */
function lineOf(ctx: Context, { vector, ...line }: ImportedMemory, space: Space | undefined) {
  const { section: _section, id, version, recalls: _recalls, community, ...figures } = line
  const recalls = line.recalls.map(Date.parse)
  const lastRecalled = line.last_recalled_at === null ? null : Date.parse(line.last_recalled_at)
  const hasVectors = space !== undefined && space.id === ctx.space.id
  return {
    ...{ id, version, recalls, line },
    vector: space && vector ? ownVector(ctx.tenant, id, vector.values) : null,
    isTruncated: vector?.truncated ?? false,
    hasVector: hasVectors && vector !== null,
    // Its connections are not in the bundle, and those that come with a vector are not discovered.
    isUndiscovered: hasVectors && vector === null,
    figures: propertiesOf(figures),
    derived: {
      scope: scopeToken(ctx.tenant, line.state),
      owner: ownerOf(ctx.tenant) ?? null,
      ...keyProperties(line),
      community,
      recallOrder: int(lastRecalled ?? 0),
      recallBurstEnds: lastRecalled === null ? null : int(lastRecalled + BURST_MS),
      foldedRecalls: int(line.recall_count - recalls.length),
    },
  }
}

type Decided = {
  readonly line: Imported
  readonly state: MemoryState | undefined
  readonly outcome: ImportOutcome
  readonly isTaken: boolean
}

function decide(
  lines: readonly Imported[],
  states: readonly MemoryState[],
  { replace }: ImportOptions,
): Decided[] {
  const known = new Map(states.map(state => [state.id, state]))
  return lines.map(line => {
    const state = known.get(line.id)
    const outcome = outcomeOf(line, state, replace)
    return { line, state, outcome, isTaken: outcome === 'created' || outcome === 'updated' }
  })
}

function outcomeOf(
  { figures, version, line: { updated_at } }: Imported,
  state: MemoryState | undefined,
  replace: boolean,
): ImportOutcome {
  if (!state) return 'created'
  const isSame = Object.entries(figures).every(([property, value]) => has(state, property, value))
  if (isSame && (state.version >= version || !replace)) return 'unchanged'
  return replace || Date.parse(updated_at) > state.updatedAt ? 'updated' : 'kept'
}

/** Locks what the memories need. Of a quota all of them count together. */
async function withinBounds(
  { tenant }: Context,
  transaction: Transaction,
  taken: readonly Decided[],
  limit: Usage | null,
) {
  const homeless = await withoutPolicy(
    transaction,
    taken.map(({ line: { id, line } }) => ({ tenant, id, policy: line.policy })),
  )
  for (const fault of homeless.values()) throw fault
  const growth = taken.map(({ line: { line }, state }) => charactersOf(line.content) - (state?.size ?? 0))
  if (!limit || !growth.some((more, at) => more > 0 || !taken[at]?.state)) return
  const adds = {
    memories: taken.filter(({ state }) => !state).length,
    characters: growth.reduce((sum, more) => sum + more, 0),
  }
  for (const fault of (await lockQuotas(transaction, [{ tenant, id: '', limit, adds }])).values()) throw fault
}

function changeOf(ctx: Context, decided: Decided, earlier: number, { space, options }: Into): MemoryChange {
  const { line, state, outcome, isTaken } = decided
  const lacksVector = outcome === 'unchanged' && space && !state?.vectors.includes(space.property)
  const vector = (isTaken || lacksVector) && line.vector
  const discovery = discoveryOf(ctx, decided)
  return {
    ...{ tenant: ctx.tenant, id: line.id, discovers: discovery?.discoveredRevision === null },
    set: {
      ...(options.marks && { importedBy: options.run }),
      ...(isTaken && takenOver(line, state, earlier)),
      ...(vector && space && { [space.truncated]: line.isTruncated }),
      ...discovery,
    },
    recorded: isTaken ? (outcome as 'created' | 'updated') : null,
    keepsVersion: outcome === 'updated',
    vector: vector || null,
  }
}

const isRewritten = ({ line }: Imported, state: MemoryState | undefined) =>
  state !== undefined && !has(state, 'content', line.content)

function takenOver(line: Imported, state: MemoryState | undefined, earlier: number) {
  const last = Math.max(earlier, state?.version ?? 0)
  const { revision = 0 } = state ?? {}
  return {
    ...(state && isRewritten(line, state) && withoutVectors(state)),
    ...line.figures,
    ...line.derived,
    version: int(last < line.version ? line.version : last + 1),
    revision: int(isRewritten(line, state) || !state ? revision + 1 : revision),
    liveUntil: liveUntilOf(livingOf(line.line)),
  }
}

/** An active memory is discovered unless its connections come with it or are there. */
function discoveryOf({ space: { property } }: Context, { line, state, outcome, isTaken }: Decided) {
  const rewritten = isRewritten(line, state)
  const isActive = (isTaken ? line.line.state : state?.state) === 'active'
  const isEmbedded = line.hasVector || (!rewritten && state?.vectors.includes(property))
  const isAsleep = state !== undefined && liveUntilOf(state).toNumber() <= state.now
  const isDue = line.isUndiscovered || (isTaken && (rewritten || isAsleep || !isEmbedded))
  if (isActive && isDue) return { discoveredRevision: null }
  return outcome === 'created' && isActive ? { discoveredRevision: int(1) } : undefined
}

const livingOf = ({ state, archived_reason, expires_at }: LineOf<'memories'>) => ({
  state,
  archivedReason: archived_reason,
  expiresAt: expires_at === null ? null : Date.parse(expires_at),
})
