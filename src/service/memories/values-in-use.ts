import { hash } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Output, Parsed } from '../../contract/index.ts'
import { countValues, type ValueKind } from '../../store/memories/values-in-use.ts'
import { tenantsOf } from '../access/private.ts'
import { readPageOf } from '../pages.ts'

/** So many values a walk by cursor returns in the order of their counts. */
const MOST_MARKS = 1_000
const MARK = 12

/**
 * Counts change while one walks: `marks` are of the values that were returned, so that none is returned twice. When
 * there are many, the others follow by their names, behind `after`.
 */
type Place = { marks: string; after: string | null }

type Value = { value: string; count: number }

export const listValues =
  (kind: ValueKind, name: 'listTags' | 'listSources' | 'listSessions' | 'listKinds') =>
  async (ctx: Context, input: Parsed<'listTags'>): Promise<Output<'listTags'>> => {
    const { page, ...rest } = await readPageOf<Value, Place>(ctx, name, input, {
      async read({ after: place = { marks: '', after: null }, offset, limit }) {
        const returned = new Set(place.marks.match(new RegExp(`.{${MARK}}`, 'g')))
        const reach = { prefix: input.prefix, after: place.after, offset, limit: limit + returned.size }
        const values = await countValues(ctx, tenantsOf(ctx), kind, reach)
        return values.filter(({ value }) => !returned.has(markOf(value))).slice(0, limit)
      },
      placeOf: placeAfter,
    })
    return { values: page, ...rest }
  }

function placeAfter(page: readonly Value[], before: Place = { marks: '', after: null }): Place {
  if (before.after !== null) return { ...before, after: page.at(-1)?.value ?? '' }
  const marks = before.marks + page.map(({ value }) => markOf(value)).join('')
  return { marks, after: marks.length < MOST_MARKS * MARK ? null : '' }
}

const markOf = (value: string) => hash('sha256', value, 'base64url').slice(0, MARK)
