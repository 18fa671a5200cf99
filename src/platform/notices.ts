/** Tells those who wait that something has happened in this process. */
export type Notices = {
  give(key: string): void
  /** From now on: `all` resolves when each of the keys has been given. */
  expect(keys: Iterable<string>): Disposable & { readonly all: Promise<void> }
}

export function createNotices(): Notices {
  const waiting = new Map<string, Set<(key: string) => void>>()
  return {
    give(key) {
      for (const hear of waiting.get(key) ?? []) hear(key)
    },
    expect(keys) {
      const { promise: all, resolve } = Promise.withResolvers<void>()
      const missing = new Set(keys)
      const hear = (key: string) => {
        forget(key)
        if (missing.delete(key) && missing.size === 0) resolve()
      }
      const forget = (key: string) => {
        const hearers = waiting.get(key)
        if (hearers?.delete(hear) && hearers.size === 0) waiting.delete(key)
      }
      for (const key of missing) waiting.set(key, (waiting.get(key) ?? new Set()).add(hear))
      return {
        all,
        [Symbol.dispose]() {
          for (const key of missing) forget(key)
        },
      }
    },
  }
}
