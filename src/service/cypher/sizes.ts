/**
 * How large a value can get, for Neo4j does not count the memory of what an expression makes. `weight` is 1 for the longest
 * content, `items` is how many a list has, and `item` is the weight of its heaviest.
 */
export type Size = { readonly weight: number; readonly items: number; readonly item: number }

const LONGEST = 100_000
const SHORT = 0.001
/** Of lists whose length a query does not tell. What holds more was counted when it was made. */
const ITEMS = 50
const COLLECTED = 100
/** What a short text in a list takes beside its characters. */
const OBJECT = 60

export const small: Size = { weight: SHORT, items: 1, item: SHORT }
export const stored: Size = { weight: 1, items: ITEMS, item: 1 }
/** Properties other than texts of any length. */
export const storedShort: Size = { weight: 0.01, items: ITEMS, item: 0.01 }
export const walked: Size = { weight: ITEMS * SHORT, items: ITEMS, item: SHORT }

export function sizeOfGiven(value: unknown): Size {
  const weight = Math.max(SHORT, (JSON.stringify(value) ?? '').length / LONGEST)
  return { weight, items: Array.isArray(value) ? value.length : ITEMS, item: weight }
}

const of = (sizes: readonly Size[], take: (size: Size) => number) => sizes.map(take)

/** A list of them, or their sum. */
export const together = (sizes: readonly Size[]): Size => ({
  weight: of(sizes, ({ weight }) => weight).reduce((a, b) => a + b, SHORT),
  items: of(sizes, ({ items }) => items).reduce((a, b) => a + b, 0),
  item: Math.max(SHORT, ...of(sizes, ({ item }) => item)),
})

export const listed = (sizes: readonly Size[]): Size => ({
  weight: together(sizes).weight,
  items: sizes.length,
  item: Math.max(SHORT, ...of(sizes, ({ weight }) => weight)),
})

/** One of them. */
export const largest = (sizes: readonly Size[]): Size => ({
  weight: Math.max(SHORT, ...of(sizes, ({ weight }) => weight)),
  items: Math.max(1, ...of(sizes, ({ items }) => items)),
  item: Math.max(SHORT, ...of(sizes, ({ item }) => item)),
})

/** An item of a list: the heaviest, or so heavy that all together weigh what the list does. */
export const heaviestOf = ({ item }: Size): Size => ({ weight: item, items: ITEMS, item })
export function averageOf({ weight, items }: Size): Size {
  const each = weight / Math.max(1, items)
  return { weight: each, items: ITEMS, item: each }
}

/** A value for each item of a list. */
export const forEach = (list: Size, value: Size): Size => ({
  weight: Math.max(1, list.items) * value.weight,
  items: list.items,
  item: value.weight,
})

export const ranged = (items: number): Size => ({ weight: items * SHORT, items, item: SHORT })
export const split = ({ weight }: Size): Size => ({
  weight: weight * OBJECT,
  items: Math.ceil(weight * LONGEST),
  item: weight,
})
export const replaced = ({ weight }: Size, longer: number): Size => ({
  ...stored,
  weight: weight * Math.max(1, longer),
})
export const collected = ({ weight }: Size): Size => ({
  weight: COLLECTED * weight,
  items: COLLECTED,
  item: weight,
})
export const shortened = ({ weight }: Size, characters: number): Size => ({
  ...small,
  weight: Math.min(weight, Math.max(SHORT, characters / LONGEST)),
})
