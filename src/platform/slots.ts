import { createFairLine } from './fair-line.ts'

/** Leave to do one thing, until it is disposed. */
export type Slot = Disposable

export type Slots = {
  /**
   * A slot for the owner, as soon as one is free whose turn it is.
   * @throws the reason of the signal, when it ends before that
   */
  take(owner: string, signal: AbortSignal): Promise<Slot>
}

type Limits = {
  /** For all owners together. */ readonly all: number /** For one of them. */
  readonly each: number
}

/**
 * Bounds how much is under way at once: no owner can have more than its share, and when all slots are taken, owners get
 * the next ones in turns, however many wait for one of them.
 */
export function createSlots({ all, each }: Limits): Slots {
  const line = createFairLine<() => void>()
  const taken = new Map<string, number>()
  let underWay = 0

  const isFree = (owner: string) => underWay < all && (taken.get(owner) ?? 0) < each

  function count(owner: string, more: 1 | -1): void {
    underWay += more
    const left = (taken.get(owner) ?? 0) + more
    if (left === 0) taken.delete(owner)
    else taken.set(owner, left)
  }

  function open(owner: string): Slot {
    count(owner, 1)
    return {
      [Symbol.dispose]() {
        count(owner, -1)
        line.next((_, waiting) => isFree(waiting))?.()
      },
    }
  }

  return {
    async take(owner, signal) {
      signal.throwIfAborted()
      // Whoever waits of an owner waits for its share, or for all slots: nobody is passed by.
      if (isFree(owner)) return open(owner)
      const { promise, resolve, reject } = Promise.withResolvers<Slot>()
      const enter = () => resolve(open(owner))
      const leave = () => {
        line.drop(owner, enter)
        reject(signal.reason)
      }
      line.add(owner, enter)
      signal.addEventListener('abort', leave, { once: true })
      try {
        return await promise
      } finally {
        signal.removeEventListener('abort', leave)
      }
    },
  }
}
