/**
 * How large a value can get, for Neo4j does not count the memory of what an expression makes. `weight` is 1 for the longest
 * content, `items` is how many a list has, and `item` is the weight of its heaviest. `open` is above 0 for a list as long as
 * there are rows; its items have 1 less.
 */
export type Size = {
  readonly weight: number
  readonly items: number
  readonly item: number
  readonly open: number
}

const LONGEST = 100_000
const SHORT = 0.001
/** Of lists whose length a query does not tell. What holds more was counted when it was made. */
const ITEMS = 50
const COLLECTED = 100
/** What a short text in a list takes beside its characters. */
const OBJECT = 60

export const small: Size = { weight: SHORT, items: 1, item: SHORT, open: 0 }
export const stored: Size = { weight: 1, items: ITEMS, item: 1, open: 0 }
/** Properties other than texts of any length. */
export const storedShort: Size = { weight: 0.01, items: ITEMS, item: 0.01, open: 0 }
export const walked: Size = { weight: ITEMS * SHORT, items: ITEMS, item: SHORT, open: 0 }

export function sizeOfGiven(value: unknown): Size {
  const weight = Math.max(SHORT, (JSON.stringify(value) ?? '').length / LONGEST)
  return { weight, items: Array.isArray(value) ? value.length : ITEMS, item: weight, open: 0 }
}

const of = (sizes: readonly Size[], take: (size: Size) => number) => sizes.map(take)

/** A list of them, or their sum. */
export const together = (sizes: readonly Size[]): Size => ({
  weight: of(sizes, ({ weight }) => weight).reduce((a, b) => a + b, SHORT),
  items: of(sizes, ({ items }) => items).reduce((a, b) => a + b, 0),
  item: Math.max(SHORT, ...of(sizes, ({ item }) => item)),
  open: Math.max(0, ...of(sizes, ({ open }) => open)),
})

export const listed = (sizes: readonly Size[]): Size => ({
  weight: together(sizes).weight,
  items: sizes.length,
  item: Math.max(SHORT, ...of(sizes, ({ weight }) => weight)),
  open: 2 * together(sizes).open,
})

/** One of them. */
export const largest = (sizes: readonly Size[]): Size => ({
  weight: Math.max(SHORT, ...of(sizes, ({ weight }) => weight)),
  items: Math.max(1, ...of(sizes, ({ items }) => items)),
  item: Math.max(SHORT, ...of(sizes, ({ item }) => item)),
  open: together(sizes).open,
})

/** An item of a list: the heaviest, or so heavy that all together weigh what the list does. */
const itemOpen = ({ open }: Size) => Math.max(0, open - 1)
export const heaviestOf = (list: Size): Size => ({
  weight: list.item,
  items: ITEMS,
  item: list.item,
  open: itemOpen(list),
})
export function averageOf(list: Size): Size {
  const each = list.weight / Math.max(1, list.items)
  return { weight: each, items: ITEMS, item: each, open: itemOpen(list) }
}

/** A value for each item of a list. */
export const forEach = (list: Size, value: Size): Size => ({
  weight: Math.max(1, list.items) * value.weight,
  items: list.items,
  item: value.weight,
  open: list.open + value.open,
})

export const ranged = (items: number): Size => ({ weight: items * SHORT, items, item: SHORT, open: 0 })
export const split = ({ weight }: Size): Size => ({
  weight: weight * OBJECT,
  items: Math.ceil(weight * LONGEST),
  item: weight,
  open: 0,
})
export const replaced = ({ weight }: Size, longer: number): Size => ({
  ...stored,
  weight: weight * Math.max(1, longer),
})
export const collected = ({ weight, open }: Size): Size => ({
  weight: COLLECTED * weight,
  items: COLLECTED,
  item: weight,
  open: 1 + open,
})
export const shortened = ({ weight }: Size, characters: number): Size => ({
  ...small,
  weight: Math.min(weight, Math.max(SHORT, characters / LONGEST)),
})
