import type { z } from 'zod'
import type { Context } from '../../context.ts'
import { ModelUnavailable } from '../../platform/chat-model/failures.ts'
import * as store from '../../store/chat-model/judge.ts'
import { neighbours } from '../../store/connections/neighbours.ts'
import { completeJob } from '../../store/jobs/ending.ts'
import type { LeasedJob } from '../../store/jobs/leases.ts'
import { keepPlans, planReplacements, type Replacement } from '../lifecycle/supersessions.ts'
import { ask, askOfFirst, isGivenUp } from './ask.ts'
import { masked } from './masked.ts'
import { judgement, versionOf } from './prompts.ts'

/** What is compared: the nearest memories and the most connected ones. */
const COMPARED = { near: 8, connected: 4, cosine: 0.3, candidates: 32, longest: 4_000 }
/** Below the first nothing is kept, from the second on a contradiction stands without a person. */
const CONFIDENCE = { kept: 0.5, certain: 0.8 }
const LONGEST_REASON = 500

/** Lets the model compare a memory with those around it. Nothing is archived: what replaces another one becomes a plan. */
export async function judge(ctx: Context, job: LeasedJob): Promise<void> {
  const { model } = ctx.app
  if (!model) throw new ModelUnavailable('no chat model is set')
  const { found } = await neighbours(ctx, job, COMPARED.cosine, COMPARED.candidates)
  const near = found.map(({ id }) => id)
  const read = await store.readCompared(ctx, job, near, COMPARED)
  if (!read || read.others.length === 0) return void (await completeJob(ctx, job))
  const order = new Map(near.map((id, at) => [id, at]))
  const placeOf = ({ id }: store.Compared) => order.get(id) ?? -1
  const others = read.others
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .slice(0, COMPARED.near + COMPARED.connected)
  const dataOf = (first: readonly store.Compared[]) => ({
    memory: shown(read.memory),
    others: first.map((other, at) => ({ ref: refOf(at), ...shown(other) })),
  })
  const { answer } = await askOfFirst(others, (first, isLeast) =>
    ask(ctx, model, judgement, dataOf(first), isLeast),
  ).catch(error => {
    const isFinal = isGivenUp(error, job)
    throw isFinal ? new ModelUnavailable(error.message, { ofQuestion: true, isFinal }) : error
  })
  const judged = judgedOf(others, answer.pairs)
  const plans = await planReplacements(
    ctx,
    judged.flatMap(each => replacementOf(read.memory, each, model.name) ?? []),
  )
  const findings = judged.map(findingOf)
  await store.keepFindings(ctx, job, findings, model.name, transaction => keepPlans(ctx, transaction, plans))
  ctx.log.debug({ job: job.id, others: others.length, findings: findings.length }, 'judged')
}

const refOf = (index: number) => `m${index + 1}`

const shown = ({ content, speaker, at, from, until }: store.Compared) => ({
  speaker,
  text: masked(content),
  time: new Date(at).toISOString(),
  holds_from: from === null ? null : new Date(from).toISOString(),
  holds_until: until === null ? null : new Date(until).toISOString(),
})

type Said = z.output<typeof judgement.answer>['pairs'][number]
type Judged = { other: store.Compared; said: Said }

/** The first of what an answer says of each memory that was sent, if it is sure enough of it. */
function judgedOf(others: readonly store.Compared[], pairs: readonly Said[]): Judged[] {
  return others.flatMap((other, at) => {
    const said = pairs.find(({ ref }) => ref === refOf(at))
    return said && said.confidence >= CONFIDENCE.kept ? [{ other, said }] : []
  })
}

function findingOf({ other, said }: Judged): store.Judgement {
  const { relationship, finding, direction, confidence } = said
  const isConflict = finding === 'contradicts'
  // What is near is connected by discovery.
  const isOwn = relationship === 'none' || relationship === 'contradicts' || relationship === 'related_to'
  return {
    id: other.id,
    revision: other.revision,
    type: isConflict || isOwn ? null : relationship.toUpperCase(),
    isOutgoing: direction === 'memory_to_other',
    conflict: conflictOf(said),
    reason: reasonOf(said),
    confidence: Math.min(1, confidence),
  }
}

function conflictOf({ finding, confidence }: Said): store.Judgement['conflict'] {
  if (finding === 'contradicts') return confidence >= CONFIDENCE.certain ? 'confirmed' : 'suggested'
  return finding === 'none' && confidence >= CONFIDENCE.certain ? 'rejected' : null
}

const reasonOf = ({ reason, holds_from }: Said) =>
  `${reason.replaceAll('\0', '').trim().slice(0, LONGEST_REASON)}${/^\d{4}-\d{2}-\d{2}/.test(holds_from ?? '') ? ` (holds from ${holds_from?.slice(0, 10)})` : ''}`

function replacementOf(
  memory: store.Compared,
  { other, said }: Judged,
  model: string,
): Replacement | undefined {
  const { finding } = said
  if (finding !== 'memory_updates_other' && finding !== 'other_updates_memory') return undefined
  const [newer, older] = finding === 'memory_updates_other' ? [memory, other] : [other, memory]
  return { newer, older, reason: reasonOf(said), rule: `${versionOf(judgement)} ${model}` }
}
