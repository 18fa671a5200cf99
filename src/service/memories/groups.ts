import * as store from '../../store/memories/groups.ts'
import { tenantsOf } from '../access/private.ts'
import type { Handler } from '../handler.ts'
import { toFilter } from './filters.ts'
import { statesOf } from './list.ts'

export const groupMemories: Handler<'groupMemories'> = async (ctx, { by, limit, ...walk }) => {
  const wanted = { states: statesOf(walk), filter: toFilter(walk), limit: limit + 1 }
  const groups = await store.groupMemories(ctx, tenantsOf(ctx), by, wanted)
  return { groups: groups.slice(0, limit), truncated: groups.length > limit }
}
