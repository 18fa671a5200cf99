import type { Context } from '../context.ts'
import type { Output } from '../contract/index.ts'
import { readUse } from '../store/chat-model/budget.ts'
import { countAll } from '../store/stats.ts'
import type { Handler } from './handler.ts'
import { policiesOf } from './lifecycle/policies.ts'

export const getStats: Handler<'getStats'> = async ctx => {
  const policies = [...(await policiesOf(ctx)).keys()]
  const [counts, model] = await Promise.all([countAll(ctx, policies), modelUse(ctx)])
  return { ...counts, model }
}

async function modelUse(ctx: Context): Promise<Output<'getStats'>['model']> {
  const { model, config } = ctx.app
  if (!model) return null
  const { calls, tokens } = await readUse(ctx)
  const { dailyTokens } = config.model
  return {
    name: model.name,
    ...model.health(),
    calls_today: calls,
    tokens_today: tokens,
    daily_tokens: Number.isFinite(dailyTokens) ? dailyTokens : null,
  }
}
