import type { Context } from '../context.ts'

/** The context for one step of a stream: the stream may last, the step has the time of a request. */
export const oneStep = (ctx: Context): Context => ({
  ...ctx,
  signal: AbortSignal.any([ctx.signal, AbortSignal.timeout(ctx.app.config.requestTimeoutMs)]),
})
