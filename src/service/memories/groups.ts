import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import * as store from '../../store/memories/groups.ts'
import { tenantsOf } from '../access/private.ts'
import { toFilter } from './filters.ts'
import { statesOf } from './list.ts'

export async function groupMemories(
  ctx: Context,
  { by, limit, ...walk }: Parsed<'groupMemories'>,
): Promise<Output<'groupMemories'>> {
  const wanted = { states: statesOf(walk), filter: toFilter(walk), limit: limit + 1 }
  const groups = await store.groupMemories(ctx, tenantsOf(ctx), by, wanted)
  return { groups: groups.slice(0, limit), truncated: groups.length > limit }
}
