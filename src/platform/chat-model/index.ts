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

/** A chat model behind an OpenAI-compatible endpoint. */
export type ChatModel = {
  readonly name: string
  /**
   * Asks once. `read` makes a value of the text of the answer; what it throws counts as a fault of the model.
   * @throws ModelUnavailable
   */
  ask<Value>(question: Question, read: (text: string) => Value, signal: AbortSignal): Promise<Answer<Value>>
  health(): { status: 'up' | 'degraded'; detail: string | null }
}

/** Far above the answers that are asked for. */
const LONGEST_ANSWER_BYTES = 1024 * 1024

const completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
  usage: z.object({ total_tokens: z.int().nonnegative() }).optional().catch(undefined),
})

/** Undefined where no model is set. After faults the model is left alone for a while. */
export function createModel(
  { name, timeoutMs, ...endpoint }: Config['model'],
  log: Pick<Log, 'warn' | 'info'>,
): ChatModel | undefined {
  if (name === undefined) return undefined
  const client = createOpenAi({ ...endpoint, timeoutMs, longestAnswerBytes: LONGEST_ANSWER_BYTES })
  const breaker = createBreaker({
    unproven: 'the model has not been asked yet',
    onChange: ({ status, detail }, waitMs) =>
      status === 'up'
        ? log.info({ model: name }, 'the chat model answers again')
        : log.warn({ model: name, detail, waitMs: Math.round(waitMs) }, 'the chat model is left alone'),
  })
  let form = 0
  /** An endpoint that refuses a form of the request gets the next one; the form that it takes is the first from then on. */
  const post = async (question: Question, signal: AbortSignal): Promise<unknown> => {
    for (let tried = form; ; tried++) {
      try {
        const body = { model: name, ...messagesOf(question), ...forms[tried]?.(question) }
        const answer = await client.post('/chat/completions', { body, signal })
        form = tried
        return answer
      } catch (error) {
        if (faultOf(error).kind !== 'text' || tried + 1 >= forms.length) throw error
      }
    }
  }
  return {
    name,
    health: breaker.health,
    async ask(question, read, signal) {
      const pass = breaker.enter()
      if (pass instanceof Error) throw new ModelUnavailable(pass.message, { retryAfterMs: pass.retryAfterMs })
      using limit = timeLimit(signal, timeoutMs)
      try {
        const { choices, usage } = completion.parse(await post(question, limit.signal))
        const value = read(choices[0]?.message.content ?? '')
        pass.succeeded(true)
        return { value, tokens: usage?.total_tokens ?? null }
      } catch (error) {
        const fault = limit.isOver()
          ? new ProviderFault('slow', 'the model did not answer in time')
          : faultIn(error)
        // An endpoint that refuses one question works.
        if (isOfText(fault)) pass.succeeded(false)
        else pass.failed(fault)
        throw new ModelUnavailable(wordsOf(fault), {
          retryAfterMs: fault.retryAfterMs,
          ofQuestion: isOfText(fault) || error instanceof z.ZodError || error instanceof SyntaxError,
        })
      }
    },
  }
}

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
    ? new ProviderFault('down', 'the answer of the model cannot be used')
    : faultOf(error)
}

const wordsOf = ({ message }: ProviderFault) =>
  message.replace('the provider', 'the model').replace('the text', 'the question')
