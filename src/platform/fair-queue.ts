/** A queue that serves its owners round robin, and the items of one owner in the order of their arrival. */
export type FairQueue<Item> = {
  add(owner: string, item: Item): void
  /** Removes an item, if it still waits. */
  drop(owner: string, item: Item): void
  /** Removes and returns the next item whose owner may proceed. */
  next(may?: (first: Item, owner: string) => boolean): Item | undefined
  readonly size: number
}

export function createFairQueue<Item>(): FairQueue<Item> {
  /** In the order in which owners are served. */
  const waiting = new Map<string, Set<Item>>()
  let size = 0

  function remove(owner: string, items: Set<Item>, item: Item): void {
    if (!items.delete(item)) return
    size--
    if (items.size === 0) waiting.delete(owner)
  }

  return {
    add(owner, item) {
      const items = waiting.get(owner) ?? new Set<Item>()
      waiting.set(owner, items.add(item))
      size++
    },
    drop(owner, item) {
      const items = waiting.get(owner)
      if (items) remove(owner, items, item)
    },
    next(may = () => true) {
      for (const [owner, items] of waiting) {
        const [first] = items as Set<Item> & [Item]
        if (!may(first, owner)) continue
        // The owner moves to the end.
        waiting.delete(owner)
        waiting.set(owner, items)
        remove(owner, items, first)
        return first
      }
      return undefined
    },
    get size() {
      return size
    },
  }
}
