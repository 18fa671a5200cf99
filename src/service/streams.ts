import type { Context } from '../context.ts'
import { timeLimit } from '../platform/time-limit.ts'

/** Does one step of a stream: the stream may last, the step has the time of a request and leaves nothing behind. */
export async function oneStep<Result>(
  ctx: Context,
  work: (step: Context) => Result | Promise<Result>,
): Promise<Result> {
  using limit = timeLimit(ctx.signal, ctx.app.config.requestTimeoutMs)
  return await work({ ...ctx, signal: limit.signal })
}

/** The same for what a caller may read only while its key is good. @throws ServiceError when it is no longer */
export const checkedStep = <Result>(ctx: Context, work: (step: Context) => Result | Promise<Result>) =>
  oneStep(ctx, async step => {
    await ctx.recheck?.(step.signal)
    return work(step)
  })
