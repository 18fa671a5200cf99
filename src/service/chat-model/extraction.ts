import { v7 as mintId } from 'uuid'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { creationDefaults } from '../../contract/memory.ts'
import { ServiceError } from '../../contract/problems.ts'
import { isEmptySpan, MOST_TAGS } from '../../contract/values.ts'
import { ModelUnavailable } from '../../platform/chat-model/failures.ts'
import type { ChatModel } from '../../platform/chat-model/index.ts'
import * as store from '../../store/chat-model/extraction.ts'
import { neighbours } from '../../store/connections/neighbours.ts'
import type { Text } from '../../store/connections/suspicions.ts'
import { progressOf } from '../../store/jobs/ending.ts'
import type { LeasedJob } from '../../store/jobs/leases.ts'
import { readTenant } from '../../store/lifecycle/due.ts'
import type { Figures } from '../../store/lifecycle/figures.ts'
import type { Handler } from '../handler.ts'
import { summarise } from '../lifecycle/plan.ts'
import { keepPlans, planReplacements, type Replacement } from '../lifecycle/supersessions.ts'
import { newRows } from '../memories/memories.ts'
import { inspect } from '../memories/secrets.ts'
import { ask, askOfFirst, isGivenUp } from './ask.ts'
import { keepFacts } from './facts.ts'
import { masked } from './masked.ts'
import { extraction, versionOf } from './prompts.ts'

export const extractFactsOf: Handler<'extractFacts'> = async (ctx, { session_id, repeat }) => {
  if (!ctx.app.model) throw new ServiceError('model_not_set', 'No chat model is set.')
  const { id, turns } = await store.queueExtraction(ctx, session_id, repeat)
  ctx.app.wake()
  return { session_id, job_id: id, turns }
}

/** What one question holds. */
const WINDOW = { turns: 40, characters: 24_000, ofTurn: 8_000 }
/** Facts that the model is told it need not repeat. */
const KNOWN = { most: 30, nearEach: 16, cosine: 0.3, characters: 2_000 }

/**
 * Reads the next turns of the job's session with the model and stores what they state. One question a step: other jobs run in
 * between.
 */
export async function extractFacts(ctx: Context, job: LeasedJob): Promise<void> {
  const { model } = ctx.app
  if (!model) throw new ModelUnavailable('no chat model is set')
  const progress = (await progressOf<store.ExtractionProgress>(ctx, job)) ?? newProgress()
  const window = windowOf(await store.readTurns(ctx, job, WINDOW.turns))
  if (window.length === 0) return void (await store.endExtraction(ctx, job, reportOf(progress)))
  const { turns, facts, known, unread } = await factsOf(ctx, model, job, window)
  const asModel = { ...ctx, key: `model:${model.name}` }
  const sound = await rowsOf(asModel, model, { turns, known }, facts)
  const plans = await plansOf(ctx, model, sound)
  const reading: store.Reading = {
    turns,
    facts: sound,
    model: model.name,
    progress: { ...progress, unread: progress.unread + unread },
    changeOf: fact => changeOf(fact, model),
    summaryOf: await summariser(ctx),
    finish: (transaction, stored) =>
      keepPlans(
        ctx,
        transaction,
        stored.flatMap(({ row }) => plans.get(row.id) ?? []),
      ),
  }
  const stored = await keepFacts(asModel, job, reading).catch(error => {
    const isFull = error instanceof ServiceError && error.code === 'quota_exceeded'
    throw isFull ? new ModelUnavailable(error.message, { ofQuestion: true, isFinal: true }) : error
  })
  ctx.log.debug({ job: job.id, turns: turns.length, stored: stored?.length }, 'extracted')
  ctx.app.wake()
}

const newProgress = (): store.ExtractionProgress => ({ run: mintId(), stored: 0, unread: 0 })

const reportOf = ({ unread }: store.ExtractionProgress) =>
  unread === 0 ? null : `The chat model gave no usable answer for ${unread} turns`

/** As many of the first as one question holds; one at least. */
function windowOf(turns: readonly store.TurnToRead[]): store.TurnToRead[] {
  let sum = 0
  const end = turns.findIndex(({ content }, at) => {
    sum += Math.min(content.length, WINDOW.ofTurn)
    return sum > WINDOW.characters && at > 0
  })
  return turns.slice(0, end < 0 ? turns.length : end)
}

type Said = z.output<typeof extraction.answer>['facts'][number]

/**
 * The facts of the first turns, as many as the model can answer for. Turns for which it has no usable answer, however often it is
 * asked, hold up no others.
 */
async function factsOf(ctx: Context, model: ChatModel, job: LeasedJob, window: readonly store.TurnToRead[]) {
  const known = await knownNear(ctx, job, window)
  const about = (turns: readonly store.TurnToRead[], isLeast: boolean) =>
    ask(ctx, model, extraction, dataOf(turns, known), isLeast)
  try {
    const { answer, asked } = await askOfFirst(window, about)
    return { turns: window.slice(0, asked), facts: answer.facts, known, unread: 0 }
  } catch (error) {
    if (!isGivenUp(error, job)) throw error
    const turns = error.isTooMuch ? window.slice(0, 1) : window
    ctx.log.warn({ job: job.id, turns: turns.length, reason: error.message }, 'turns were not extracted')
    return { turns, facts: [], known, unread: turns.length }
  }
}

const dataOf = (turns: readonly store.TurnToRead[], known: readonly Text[]) => ({
  turns: turns.map(({ speaker, at, content }, index) => ({
    ref: refOf('t', index),
    speaker,
    time: new Date(at).toISOString(),
    text: masked(content).slice(0, WINDOW.ofTurn),
  })),
  known: known.map(({ content }, index) => ({ ref: refOf('k', index), text: masked(content) })),
})

const refOf = (letter: 't' | 'k', index: number) => `${letter}${index + 1}`

/** The memories that are nearest to the turns, as far as those have their vectors. */
async function knownNear(ctx: Context, job: LeasedJob, turns: readonly store.TurnToRead[]) {
  const near = await Promise.all(
    turns.map(({ id }) => neighbours(ctx, { ...job, memoryId: id }, KNOWN.cosine, KNOWN.nearEach)),
  )
  const nearest = new Map<string, number>()
  for (const { id, cosine } of near.flatMap(({ found }) => found))
    nearest.set(id, Math.max(cosine, nearest.get(id) ?? 0))
  const ids = [...nearest].sort(([, a], [, b]) => b - a).map(([id]) => id)
  return (await store.readKnown(ctx, ids.slice(0, 4 * KNOWN.most), KNOWN.characters)).slice(0, KNOWN.most)
}

/** What is kept of an answer. What is beyond it, or names what was not sent, is left out. */
const KEPT = { facts: 50, characters: 2_000, confidence: 0.5 }

async function rowsOf(
  ctx: Context,
  model: ChatModel,
  { turns, known }: { turns: readonly store.TurnToRead[]; known: readonly Text[] },
  facts: readonly Said[],
): Promise<store.Fact[]> {
  const sent = new Map(turns.map((turn, index) => [refOf('t', index), turn]))
  const sentKnown = new Map(known.map((each, index) => [refOf('k', index), each]))
  const sound = facts.slice(0, KEPT.facts).flatMap(fact => {
    const from = [...new Set(fact.turns)].flatMap(ref => sent.get(ref) ?? [])
    const text = fact.text.replaceAll('\0', '').trim()
    const isUsable =
      from.length > 0 && text !== '' && text.length <= KEPT.characters && fact.confidence >= KEPT.confidence
    return isUsable ? [{ ...fact, text, from, confidence: Math.min(1, fact.confidence) }] : []
  })
  const memories = sound.flatMap(({ text, kind, confidence, from, supersedes, ...dates }) => {
    const { marks, texts } = inspect({ content: text })
    if (marks.length > 0 && ctx.app.config.secrets === 'refuse') return []
    const isMasked = ctx.app.config.secrets === 'mask'
    return {
      from,
      confidence,
      supersedes: [...new Set(supersedes)].flatMap(ref => sentKnown.get(ref) ?? []),
      memory: {
        ...creationDefaults,
        ...given(from),
        ...spanOf(dates),
        content: isMasked ? (texts.content ?? text) : text,
        kind,
        importance: 0.5,
        metadata: { confidence, model: model.name.slice(0, 200), prompt: versionOf(extraction) },
        sensitive: isMasked ? [] : marks,
        on_duplicate: 'return' as const,
      },
    }
  })
  const rows =
    memories.length === 0
      ? []
      : await newRows(
          ctx,
          memories.map(({ memory }) => memory),
        )
  return rows.map((row, at) => {
    const { from, confidence, supersedes } = memories[at] as (typeof memories)[number]
    return { row, turns: from.map(({ id }) => id), confidence, supersedes }
  })
}

/** What facts replace becomes plans, which wait until somebody applies them. */
async function plansOf(ctx: Context, model: ChatModel, facts: readonly store.Fact[]) {
  const rule = `${versionOf(extraction)} ${model.name}`
  const replacements = facts.flatMap(({ row, supersedes }) =>
    supersedes.map(
      (older): Replacement => ({
        newer: { id: row.id, revision: 1 },
        older,
        reason: 'it was said later',
        rule,
      }),
    ),
  )
  const plans = await planReplacements(ctx, replacements)
  return Map.groupBy(plans, ({ changes: [change] }) => change.supersededBy.id)
}

/** What the turns of a fact have in common goes over to it: an erasure by their source or session reaches it. */
function given(turns: readonly store.TurnToRead[]) {
  const common = <Value>(values: readonly (Value | null)[]) =>
    new Set(values).size === 1 ? (values[0] ?? undefined) : undefined
  const speaker = common(turns.map(turn => turn.speaker))
  const source = common(turns.map(turn => turn.source))
  return {
    tags: [...new Set(turns.flatMap(({ tags }) => tags))].slice(0, MOST_TAGS),
    ...(speaker !== undefined && { speaker }),
    ...(source !== undefined && { source }),
    session_id: turns[0]?.session,
  }
}

const date = z.union([z.iso.date(), z.iso.datetime({ offset: true })])

function spanOf({ holds_from, holds_until }: Pick<Said, 'holds_from' | 'holds_until'>) {
  const [from, until] = [holds_from, holds_until].map(text =>
    date.safeParse(text).success ? new Date(String(text)).toISOString() : undefined,
  )
  if (isEmptySpan(from, until)) return {}
  return {
    ...(from !== undefined && { valid_from: from }),
    ...(until !== undefined && { valid_until: until }),
  }
}

function changeOf({ row, turns }: store.Fact, model: ChatModel) {
  const after: Figures = {
    state: 'active',
    policy: row.policy,
    health: 100,
    importance: row.importance,
    version: 1,
    updatedAt: 0,
    archivedAt: null,
    archivedReason: null,
    maintainedAt: null,
    foldedRecalls: null,
    lastRun: null,
    lastRunVersion: null,
  }
  return {
    memory_id: row.id,
    change: 'extract' as const,
    reason: `extracted from ${turns.join(', ')}`,
    rule: `${versionOf(extraction)} ${model.name}`,
    before: { ...after, state: 'removed' as const },
    after,
    recallCount: 0,
    unfolded: 0,
    connections: turns.length,
  }
}

async function summariser(ctx: Context) {
  const { memories } = await readTenant(ctx)
  return (stored: number) => ({ ...summarise([], memories), extract: stored })
}
