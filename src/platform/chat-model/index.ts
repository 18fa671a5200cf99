import { APIError } from 'openai'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { createBreaker } from '../embeddings/openai/breaker.ts'
import { faultOf, isOfText, ProviderFault } from '../embeddings/openai/faults.ts'
import type { Log } from '../log.ts'
import { createOpenAi } from '../openai.ts'
import { timeLimit } from '../time-limit.ts'
import { ModelUnavailable } from './failures.ts'

/** What a model is asked: rules, and data that it must not obey. */
type Question = {
  /** Names the schema of the answer. */
  readonly name: string
  readonly rules: string
  readonly data: string
  readonly schema: object
  readonly maxTokens: number
}

/** `tokens` is what the endpoint counted; null if it says nothing usable. */
type Answer<Value> = { readonly value: Value; readonly tokens: number | null }

type Asker = {
  readonly tenant: string
  readonly signal: AbortSignal
  /** What can be read of an answer that was cut is enough. */
  readonly takesCut: boolean
}

/** A chat model behind an OpenAI-compatible endpoint. */
export type ChatModel = {
  readonly name: string
  /**
   * Asks once. `read` makes a value of the text of the answer. An answer that it cannot read says nothing about other questions.
   * @throws ModelUnavailable
   */
  ask<Value>(question: Question, read: (text: string) => Value, asker: Asker): Promise<Answer<Value>>
  health(): { status: 'up' | 'degraded'; detail: string | null }
}

/** Far above the answers that are asked for. */
const LONGEST_ANSWER_BYTES = 1024 * 1024

const completion = z.object({
  choices: z
    .array(z.object({ message: z.object({ content: z.string() }), finish_reason: z.unknown() }))
    .min(1),
  usage: z.object({ total_tokens: z.int().nonnegative() }).optional().catch(undefined),
})

/** Undefined where no model is set. After faults the model is left alone for a while. */
export function createModel(
  { name, timeoutMs, ...endpoint }: Config['model'],
  log: Pick<Log, 'warn' | 'info'>,
): ChatModel | undefined {
  if (name === undefined) return undefined
  const breaker = createBreaker({
    unproven: 'the model has not been asked yet',
    onChange: ({ status, detail }, waitMs) =>
      status === 'up'
        ? log.info({ model: name }, 'the chat model answers again')
        : log.warn({ model: name, detail, waitMs: Math.round(waitMs) }, 'the chat model is left alone'),
  })
  const post = createPost(
    name,
    createOpenAi({ ...endpoint, timeoutMs, longestAnswerBytes: LONGEST_ANSWER_BYTES }),
  )
  /** Who waited in vain since the last answer: the model is slow if it is so for more than one tenant. */
  const waitedInVain = new Set<string>()
  return {
    name,
    health: breaker.health,
    async ask(question, read, { tenant, signal, takesCut }) {
      const pass = breaker.enter()
      if (pass instanceof Error) throw new ModelUnavailable(pass.message, { retryAfterMs: pass.retryAfterMs })
      using limit = timeLimit(signal, timeoutMs)
      try {
        const { choices, usage } = completion.parse(await post(question, limit.signal))
        waitedInVain.clear()
        pass.succeeded(true)
        return { value: readChoice(choices[0], read, takesCut), tokens: usage?.total_tokens ?? null }
      } catch (error) {
        if (error instanceof ModelUnavailable) throw error
        const fault = limit.isOver() ? new ProviderFault('slow', SLOW) : faultIn(error)
        if (fault.kind === 'slow') waitedInVain.add(tenant)
        const isOfTenant = fault.kind === 'slow' && waitedInVain.size === 1
        const failure = failureOf(fault, isOfTenant, isTooLong(error))
        // An endpoint that refuses one question works.
        if (failure.ofQuestion || isOfTenant) pass.succeeded(false)
        else pass.failed(fault)
        throw failure
      }
    },
  }
}

const failureOf = (fault: ProviderFault, ofTenant: boolean, isTooMuch: boolean) =>
  new ModelUnavailable(wordsOf(fault), {
    retryAfterMs: ofTenant ? SLOW_WAIT_MS : fault.retryAfterMs,
    ofQuestion: isOfText(fault) || fault.message === UNUSABLE,
    ofTenant,
    isTooMuch,
  })

const SLOW = 'the model did not answer in time'
const UNUSABLE = 'the answer of the model cannot be used'
/** A slow question is asked again after this time, and others in the meantime. */
const SLOW_WAIT_MS = 60_000

type Choice = z.output<typeof completion>['choices'][number]

/** @throws ModelUnavailable if nothing can be read, or the answer was cut. */
function readChoice<Value>(
  choice: Choice | undefined,
  read: (text: string) => Value,
  takesCut: boolean,
): Value {
  if (choice?.finish_reason === 'length' && !takesCut)
    throw new ModelUnavailable('the answer of the model was cut', { ofQuestion: true, isTooMuch: true })
  try {
    return read(choice?.message.content ?? '')
  } catch {
    throw new ModelUnavailable(UNUSABLE, { ofQuestion: true })
  }
}

type Client = ReturnType<typeof createOpenAi>

/**
 * An endpoint that refuses a form of the request gets the next one. The one that it takes is the first from then on if the
 * endpoint has said that the form was wrong.
 */
function createPost(model: string, client: Client) {
  let form = 0
  return async (question: Question, signal: AbortSignal): Promise<unknown> => {
    let isNamed = true
    for (let tried = form; ; tried++) {
      try {
        const body = { model, ...messagesOf(question), ...forms[tried]?.(question) }
        const answer = await client.post('/chat/completions', { body, signal })
        if (isNamed) form = tried
        return answer
      } catch (error) {
        if (faultOf(error).kind !== 'text' || isTooLong(error) || tried + 1 >= forms.length) throw error
        isNamed &&= isOfForm(error)
      }
    }
  }
}

const saidIn = (error: unknown) => (error instanceof APIError ? error.message : '')

const isTooLong = (error: unknown) =>
  (error instanceof APIError && error.status === 413) ||
  /context.?(length|size|window|limit)|too (long|large)|too many tokens|reduce the length|must be <=|exceed/i.test(
    saidIn(error),
  )

const isOfForm = (error: unknown) =>
  /response_format|json_(schema|object)|max_(completion_)?tokens|unknown|unsupported|not (supported|permitted|allowed)|unrecogni[sz]ed|extra (inputs|fields)/i.test(
    saidIn(error),
  )

const forms: readonly ((question: Question) => object)[] = [
  ({ name, schema, maxTokens }) => ({
    max_completion_tokens: maxTokens,
    response_format: { type: 'json_schema', json_schema: { name, schema, strict: true } },
  }),
  ({ name, schema, maxTokens }) => ({
    max_tokens: maxTokens,
    response_format: { type: 'json_schema', json_schema: { name, schema, strict: true } },
  }),
  ({ maxTokens }) => ({ max_tokens: maxTokens, response_format: { type: 'json_object' } }),
  ({ maxTokens }) => ({ max_tokens: maxTokens }),
]

/** The schema is part of the rules: an endpoint may take no schema of its own. */
const messagesOf = ({ rules, data, schema }: Question) => ({
  messages: [
    {
      role: 'system',
      content: `${rules}\n\nAnswer with one JSON object of this schema:\n${JSON.stringify(schema)}`,
    },
    { role: 'user', content: data },
  ],
})

function faultIn(error: unknown): ProviderFault {
  return error instanceof z.ZodError || error instanceof SyntaxError
    ? new ProviderFault('down', UNUSABLE)
    : faultOf(error)
}

const wordsOf = ({ message }: ProviderFault) =>
  message.replace('the provider', 'the model').replace('the text', 'the question')
