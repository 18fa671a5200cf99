import type { Request, Response } from 'express'
import type { Context } from '../../context.ts'
import { sendStream } from '../rest/stream.ts'
import {
  type Answer,
  openSubscription,
  prepare,
  type SubscriptionParts,
  toFormatted,
} from './subscriptions.ts'

/** How often to send a comment, so that no proxy closes an idle stream. */
const PULSE_MS = 12_000

/**
 * Returns a subscription by the graphql-sse protocol, with distinct connections. The handler of `graphql-sse` is not used:
 * it queues results without a bound if the client reads slowly, where this stream produces no more than the client reads.
 */
export function sendSubscription(
  parts: SubscriptionParts,
  ctx: Context,
  req: Request,
  res: Response,
): Promise<void> {
  const pieces = piecesOf(parts, ctx, req.body)
  return sendStream({ mediaType: 'text/event-stream', pieces }, req, res)
}

async function* piecesOf(parts: SubscriptionParts, ctx: Context, asked: unknown): AsyncGenerator<string> {
  try {
    const answers = await openSubscription(parts, ctx, prepare(parts, asked))
    yield ':\n\n'
    for await (const answer of withPulse(answers))
      yield answer === undefined ? ':\n\n' : eventOf('next', answer)
  } catch (error) {
    yield eventOf('next', { errors: [toFormatted(ctx, error)] })
  }
  yield eventOf('complete')
}

async function* withPulse(answers: AsyncGenerator<Answer>): AsyncGenerator<Answer | undefined> {
  try {
    for (let next = answers.next(); ; ) {
      const { promise, resolve } = Promise.withResolvers<undefined>()
      const timer = setTimeout(() => resolve(undefined), PULSE_MS)
      const come = await Promise.race([next, promise])
      clearTimeout(timer)
      if (come?.done) return
      yield come?.value
      if (come) next = answers.next()
    }
  } finally {
    await answers.return(undefined)
  }
}

const eventOf = (name: string, data?: Answer) =>
  `event: ${name}\ndata: ${data === undefined ? '' : JSON.stringify(data)}\n\n`
