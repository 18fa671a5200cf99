import { createFairQueue } from './fair-queue.ts'

/** Leave to do one thing, until it is disposed. */
export type Permit = Disposable

export type Semaphore = {
  /**
   * A permit for the owner, as soon as one is free whose turn it is.
   * @throws the reason of the signal, when it ends before that
   */
  take(owner: string, signal: AbortSignal): Promise<Permit>
}

type Limits = {
  /** For all owners together. */
  readonly all: number
  /** For one of them, its share. */
  readonly each: number
  /** Milliseconds after which an owner who asks no more is taken to be gone. Never, unless given. */
  readonly leaveMs?: number
}

/**
 * Bounds how much is under way at once: owners have a share each, and where all semaphore are taken they get the next ones
 * in turns, however many wait for one of them. One who is alone may have more, as long as one share is left, which whoever
 * comes next finds.
 */
export function createSemaphore({ all, each, leaveMs = Number.POSITIVE_INFINITY }: Limits): Semaphore {
  const line = createFairQueue<() => void>()
  const taken = new Map<string, number>()
  const seen = createSeen()
  let underWay = 0

  const isAlone = (owner: string) => performance.now() - seen.beside(owner) > leaveMs

  function isFree(owner: string): boolean {
    const mine = taken.get(owner) ?? 0
    const most = isAlone(owner) ? Math.max(each, all - each - (underWay - mine)) : each
    return underWay < all && mine < most
  }

  function count(owner: string, more: 1 | -1): void {
    underWay += more
    const left = (taken.get(owner) ?? 0) + more
    if (left === 0) taken.delete(owner)
    else taken.set(owner, left)
  }

  function open(owner: string): Permit {
    count(owner, 1)
    return {
      [Symbol.dispose]() {
        count(owner, -1)
        pump()
      },
    }
  }

  function pump(): void {
    while (line.size > 0) {
      const enter = line.next((_, owner) => isFree(owner))
      if (!enter) return
      enter()
    }
  }

  return {
    async take(owner, signal) {
      signal.throwIfAborted()
      seen.note(owner)
      if (line.size === 0 && isFree(owner)) return open(owner)
      const { promise, resolve, reject } = Promise.withResolvers<Permit>()
      const enter = () => resolve(open(owner))
      const leave = () => {
        line.drop(owner, enter)
        reject(signal.reason)
      }
      line.add(owner, enter)
      signal.addEventListener('abort', leave, { once: true })
      pump()
      try {
        return await promise
      } finally {
        signal.removeEventListener('abort', leave)
      }
    },
  }
}

/** When owners have asked last. */
function createSeen() {
  let last = { owner: '', at: Number.NEGATIVE_INFINITY }
  let before = last
  return {
    note(owner: string): void {
      if (owner !== last.owner) before = last
      last = { owner, at: performance.now() }
    },
    /** When another than this owner did. */
    beside: (owner: string) => (owner === last.owner ? before : last).at,
  }
}
