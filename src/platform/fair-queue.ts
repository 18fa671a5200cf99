/** Those who wait, in turns: one of each owner after the other, those of one owner in the order in which they came. */
export type FairQueue<Item> = {
  add(owner: string, item: Item): void
  /** Leaves the line, if it is still there. */
  drop(owner: string, item: Item): void
  /** Takes out the one whose turn it is, of those that may have one now. */
  next(may?: (first: Item, owner: string) => boolean): Item | undefined
  readonly size: number
}

export function createFairQueue<Item>(): FairQueue<Item> {
  /** In the order of their turns. */
  const lines = new Map<string, Set<Item>>()
  let size = 0

  function remove(owner: string, line: Set<Item>, item: Item): void {
    if (!line.delete(item)) return
    size--
    if (line.size === 0) lines.delete(owner)
  }

  return {
    add(owner, item) {
      const line = lines.get(owner) ?? new Set<Item>()
      lines.set(owner, line.add(item))
      size++
    },
    drop(owner, item) {
      const line = lines.get(owner)
      if (line) remove(owner, line, item)
    },
    next(may = () => true) {
      for (const [owner, line] of lines) {
        const [first] = line as Set<Item> & [Item]
        if (!may(first, owner)) continue
        // Behind all others, until its next turn.
        lines.delete(owner)
        lines.set(owner, line)
        remove(owner, line, first)
        return first
      }
      return undefined
    },
    get size() {
      return size
    },
  }
}
