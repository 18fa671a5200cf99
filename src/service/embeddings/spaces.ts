import type { Context, Embeddings, Space, SpaceInUse } from '../../context.ts'
import { ServiceError } from '../../contract/problems.ts'
import { EmbeddingUnavailable, reasonOf } from '../../platform/embeddings/index.ts'
import { untilAborted } from '../../platform/until-aborted.ts'
import { auditAlone } from '../../store/access/audit.ts'
import * as store from '../../store/embeddings/spaces.ts'
import * as vectors from '../../store/embeddings/vectors.ts'
import { completeJob, continueJob, walkOf } from '../../store/jobs/ending.ts'
import type { LeasedJob } from '../../store/jobs/leases.ts'
import { nextTenant } from '../../store/lifecycle/schedule.ts'
import type { Caller } from '../../store/neo4j/attempts.ts'
import { operatorOnly } from '../access/operator.ts'
import type { Handler } from '../handler.ts'
import { embedQueued } from './vectors.ts'

/** Queues the filling of every kept space, for every tenant. Memories that have a vector are skipped. */
export async function queueFills(caller: () => Caller, embeddings: Embeddings): Promise<void> {
  for (
    let tenant = await nextTenant(caller(), '');
    tenant !== undefined;
    tenant = await nextTenant(caller(), tenant)
  )
    for (const { space } of embeddings.kept()) await vectors.queueFill(caller(), tenant, space)
}

const WINDOW = 256

/** Embeds the next memories that have no vector in a space, then releases the job so that other jobs can run. */
export async function fillSpace(ctx: Context, job: LeasedJob): Promise<void> {
  const walk = await walkOf(ctx, job)
  const target = walk?.space && (await findKept(ctx, walk.space))
  if (!walk || !target) return void (await completeJob(ctx, job))
  const { memories, next } = await vectors.memoriesWithoutVector(ctx, target.space, walk.place, WINDOW)
  await embedAll(ctx, target, memories)
  await (next ? continueJob(ctx, job, { place: next }) : completeJob(ctx, job))
  if (next) ctx.app.wake()
}

/** Another process may have made the space a moment ago. */
async function findKept(
  { app: { embeddings }, signal }: Context,
  id: string,
): Promise<SpaceInUse | undefined> {
  const find = () => embeddings.kept().find(({ space }) => space.id === id)
  if (!find()) await untilAborted(signal, embeddings.refresh())
  return find()
}

/** Stores each vector, even if others fail. The next try embeds the rest. */
async function embedAll(ctx: Context, target: SpaceInUse, memories: readonly vectors.Unembedded[]) {
  const outcomes = await Promise.allSettled(memories.map(memory => embedInto(ctx, target, memory)))
  const failed = outcomes.find(each => each.status === 'rejected')
  if (failed) throw failed.reason
}

/** Skips a text that the provider refuses, and logs it. */
const embedInto = (ctx: Context, target: SpaceInUse, memory: vectors.Unembedded) =>
  embedQueued(ctx, target, memory).catch(error => {
    if (!(error instanceof EmbeddingUnavailable) || !error.itemFault) throw error
    ctx.log.warn({ memory: memory.id, reason: reasonOf(error) }, 'no vector for a memory')
  })

export const listEmbeddingSpaces: Handler<'listEmbeddingSpaces'> = async ctx => {
  operatorOnly(ctx)
  const [pointer, known] = await Promise.all([store.readPointer(ctx), store.listSpaces(ctx)])
  const usable = new Map(ctx.app.embeddings.kept().map(({ space, embedder }) => [space.id, embedder]))
  const spaces = await Promise.all(
    known.map(async ({ space, createdAt }) => {
      const counts = await store.countVectors(ctx, space)
      const state =
        space.id === pointer.active
          ? ('active' as const)
          : counts.missing > 0
            ? ('building' as const)
            : ('standby' as const)
      const { id, provider, model, dimensions } = space
      const available = usable.get(id)?.health().status === 'up'
      return { id, provider, model, dimensions, state, available, ...counts, created_at: createdAt }
    }),
  )
  return { active: pointer.active, spaces }
}

export const compareEmbeddingSpaces: Handler<'compareEmbeddingSpaces'> = async (ctx, input) => {
  operatorOnly(ctx)
  const space = await findSpace(ctx, input.id)
  const rows = await vectors.neighboursInBoth(ctx, [ctx.space, space], input.sample, input.nearest)
  const shares = rows
    .filter(({ first }) => first.length > 0)
    .map(({ first, second }) => first.filter(id => second.includes(id)).length / first.length)
  const overlap = shares.length === 0 ? null : shares.reduce((sum, share) => sum + share, 0) / shares.length
  return { sample: shares.length, nearest: input.nearest, overlap }
}

const TOLERATED_MISSING = 0.01

export const switchEmbeddingSpace: Handler<'switchEmbeddingSpace'> = async (ctx, { id }) => {
  operatorOnly(ctx)
  const space = await findSpace(ctx, id)
  const { ready, missing } = await store.countVectors(ctx, space)
  if (missing > TOLERATED_MISSING * (ready + missing))
    throw new ServiceError(
      'space_incomplete',
      `${missing} of ${ready + missing} memories have no vector in the space ${id} yet.`,
    )
  const { active } = await store.readPointer(ctx)
  await store.switchSpace(ctx, active, id)
  await ctx.app.embeddings.refresh()
  const { active: now, previous } = await store.readPointer(ctx)
  return { active: now, previous }
}

export const deleteEmbeddingSpace: Handler<'deleteEmbeddingSpace'> = async (ctx, { id }) => {
  operatorOnly(ctx)
  const space = await findSpace(ctx, id)
  const { active } = await store.readPointer(ctx)
  const wanted = ctx.app.embeddings.wanted
  if (id === active) throw new ServiceError('space_in_use', `The space ${id} is active.`)
  if (id === wanted)
    throw new ServiceError('space_in_use', `The settings of this process ask for the space ${id}.`)
  await auditAlone(ctx, { target: id })
  await store.dropSpace(ctx, space)
  await ctx.app.embeddings.refresh()
  return { id, deleted: true }
}

async function findSpace(ctx: Context, id: string): Promise<Space> {
  const known = (await store.listSpaces(ctx)).find(({ space }) => space.id === id)
  if (!known) throw new ServiceError('space_not_found', `There is no embedding space ${id}.`)
  return known.space
}
