import { createFairQueue } from './fair-queue.ts'

/** Leave to do one thing, until it is disposed. */
export type Permit = Disposable

export type Semaphore = {
  /**
   * A permit for the owner, as soon as its share and the fair queue allow one.
   * @throws the reason of the signal, when it ends before that
   */
  take(owner: string, signal: AbortSignal): Promise<Permit>
  /** Milliseconds since the last permit was returned: 0 while anybody has one, infinite if nobody ever had. */
  quietMs(): number
}

type Limits = {
  /** For all owners together. */
  readonly all: number
  /** For one of them, its share. */
  readonly each: number
  /** Milliseconds without a request after which an owner counts as gone. Never, unless given. */
  readonly leaveMs?: number
}

/**
 * Bounds how much runs at the same time. Each owner has a share; when all permits are taken, a fair queue hands out the
 * next ones. An owner who is alone may exceed its share, as long as one share stays free for the next owner.
 */
export function createSemaphore({ all, each, leaveMs = Number.POSITIVE_INFINITY }: Limits): Semaphore {
  const queue = createFairQueue<() => void>()
  const taken = new Map<string, number>()
  const seen = createSeen()
  let inProgress = 0
  let returnedAt = Number.NEGATIVE_INFINITY

  const isAlone = (owner: string) => performance.now() - seen.other(owner) > leaveMs

  function isFree(owner: string): boolean {
    const mine = taken.get(owner) ?? 0
    const most = isAlone(owner) ? Math.max(each, all - each - (inProgress - mine)) : each
    return inProgress < all && mine < most
  }

  function count(owner: string, more: 1 | -1): void {
    inProgress += more
    const left = (taken.get(owner) ?? 0) + more
    if (left === 0) taken.delete(owner)
    else taken.set(owner, left)
  }

  function open(owner: string): Permit {
    count(owner, 1)
    return {
      [Symbol.dispose]() {
        count(owner, -1)
        returnedAt = performance.now()
        pump()
      },
    }
  }

  function pump(): void {
    while (queue.size > 0) {
      const enter = queue.next((_, owner) => isFree(owner))
      if (!enter) return
      enter()
    }
  }

  return {
    quietMs: () => (inProgress > 0 ? 0 : performance.now() - returnedAt),
    async take(owner, signal) {
      signal.throwIfAborted()
      seen.note(owner)
      if (queue.size === 0 && isFree(owner)) return open(owner)
      const { promise, resolve, reject } = Promise.withResolvers<Permit>()
      const enter = () => resolve(open(owner))
      const leave = () => {
        queue.drop(owner, enter)
        reject(signal.reason)
      }
      queue.add(owner, enter)
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

/** When owners last asked for a permit. */
function createSeen() {
  let last = { owner: '', at: Number.NEGATIVE_INFINITY }
  let before = last
  return {
    note(owner: string): void {
      if (owner !== last.owner) before = last
      last = { owner, at: performance.now() }
    },
    /** When an owner other than this one last asked. */
    other: (owner: string) => (owner === last.owner ? before : last).at,
  }
}
