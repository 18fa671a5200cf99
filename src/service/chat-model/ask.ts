import { z } from 'zod'
import type { Context } from '../../context.ts'
import { baseTenant } from '../../contract/private.ts'
import { ModelUnavailable } from '../../platform/chat-model/failures.ts'
import type { ChatModel } from '../../platform/chat-model/index.ts'
import { reserveTokens, settleTokens } from '../../store/chat-model/budget.ts'
import type { LeasedJob } from '../../store/jobs/leases.ts'
import { type Listed, readItems } from './answer.ts'

/** A prompt with the schema of its answer. Its version stands in what is made of the answers. */
export type Prompt<Schema extends Listed = Listed> = {
  readonly name: string
  readonly version: number
  readonly rules: string
  /** Without bounds, which some endpoints refuse: what is too long or too many is left out afterwards. */
  readonly answer: Schema
  readonly maxTokens: number
}

/** A text of any language has at least so many characters a token. */
const CHARACTERS_A_TOKEN = 2
/** The budget is read again at least so often. */
const LONGEST_WAIT_MS = 3_600_000

/**
 * Asks the model within the budget of the tenant. What is given as data is data: the rules say so, and no answer is obeyed
 * beyond its schema. @throws ModelUnavailable
 */
export async function ask<Schema extends Listed>(
  ctx: Context,
  model: ChatModel,
  { name, rules, answer, maxTokens }: Prompt<Schema>,
  data: unknown,
  takesCut: boolean,
): Promise<z.output<Schema>> {
  const question = { name, rules, data: JSON.stringify(data), schema: jsonSchemaOf(answer), maxTokens }
  const estimate = Math.ceil((question.rules.length + question.data.length) / CHARACTERS_A_TOKEN) + maxTokens
  const wait = await reserveTokens(ctx, estimate, ctx.app.config.model.dailyTokens)
  if (wait !== null)
    throw new ModelUnavailable('the daily budget of tokens is used up', {
      retryAfterMs: Math.min(wait, LONGEST_WAIT_MS),
      ofTenant: true,
    })
  const end = ctx.app.metrics.modelCalls.startTimer({ kind: name })
  let used = estimate
  try {
    const asker = { signal: ctx.signal, tenant: baseTenant(ctx.tenant), takesCut }
    const call = () => model.ask(question, text => readItems(answer, text), asker)
    const attributes = { 'mnemograph.model': model.name, 'mnemograph.prompt': name }
    const { value, tokens } = await (ctx.app.neo4j.tracing?.part(
      { name: 'chat model', kind: 'client', attributes },
      call,
    ) ?? call())
    used = tokens ?? estimate
    end({ outcome: 'ok' })
    return value
  } catch (error) {
    if (!(error instanceof ModelUnavailable)) throw error
    // An answer that cannot be used has its price.
    if (!error.ofQuestion) used = 0
    end({ outcome: error.ofQuestion ? 'unusable' : 'unavailable' })
    throw error
  } finally {
    ctx.app.metrics.modelTokens.inc({ kind: name }, used)
    if (used !== estimate) await settleTokens(ctx, used - estimate)
  }
}

/** An answer that cannot be used is asked for again so often. */
const TRIES = 3

/** Whether a job has asked often enough, and got no usable answer. */
export const isGivenUp = (error: unknown, { attempt }: LeasedJob): error is ModelUnavailable =>
  error instanceof ModelUnavailable && error.ofQuestion && attempt >= TRIES

export const jsonSchemaOf = (schema: z.ZodType) => {
  const { $schema: _, ...json } = z.toJSONSchema(schema)
  return json
}

/**
 * Asks about as many of the first items as one question and its answer hold: of half as many after an answer that was cut, or a
 * question that was too long. Returns how many that were.
 */
export async function askOfFirst<Item, Answer>(
  items: readonly Item[],
  about: (first: readonly Item[], isLeast: boolean) => Promise<Answer>,
): Promise<{ answer: Answer; asked: number }> {
  for (let asked = items.length; ; asked = Math.ceil(asked / 2))
    try {
      return { answer: await about(items.slice(0, asked), asked <= 1), asked }
    } catch (error) {
      if (!(error instanceof ModelUnavailable && error.isTooMuch) || asked <= 1) throw error
    }
}
