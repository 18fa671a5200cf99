import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { countValues, type Kind } from '../../store/memories/values-in-use.ts'

/** Reads one more than is returned: it says whether there are more. */
export const listValues =
  (kind: Kind) =>
  async (ctx: Context, { prefix, limit, offset }: Parsed<'listTags'>): Promise<Output<'listTags'>> => {
    const values = await countValues(ctx, kind, { prefix, offset, limit: limit + 1 })
    return { values: values.slice(0, limit), has_more: values.length > limit, limit, offset }
  }
