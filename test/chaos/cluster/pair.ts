import { setTimeout as pause } from 'node:timers/promises'
import { type ChaosDatabase, startChaosDatabase } from '../database.ts'
import { createCopier } from './copier.ts'
import { type Roles, startRouter } from './router.ts'

/**
 * Two true databases as a cluster: one leads, and the other follows it after a delay. They can change places, as after the
 * loss of a leader: every line breaks, what was committed is kept, and the other one leads.
 */
export async function startPair(first: ChaosDatabase, delayMs: number) {
  await using starting = new AsyncDisposableStack()
  const second = starting.use(await startChaosDatabase())
  const uris = [first.uri, second.uri] as const
  const roles: Roles = { open: true, leader: 0 }
  /** Bookmarks in the order of their commits, and up to which one the follower has a copy. */
  const commits = new Map<string, number>()
  let copied = 0
  let wake: (() => void)[] = []

  const follower = () => 1 - roles.leader
  const open = async () => {
    const copier = createCopier(uris[roles.leader] as string, uris[follower()] as string)
    await copier.prepare()
    return copier
  }
  let copier = await open()
  const copy = async () => {
    const upTo = commits.size
    await copier.copy()
    copied = upTo
    const waiting = wake
    wake = []
    for (const resolve of waiting) resolve()
  }
  let following = new AbortController()
  const follow = async ({ signal }: AbortController) => {
    while (!signal.aborted) {
      await copy()
      await pause(delayMs)
    }
  }
  await copy()
  let loop = follow(following)

  const router = starting.use(
    await startRouter({
      members: uris,
      roles,
      committed(member, bookmark) {
        if (member === roles.leader && !commits.has(bookmark)) commits.set(bookmark, commits.size + 1)
      },
      async reached(member, bookmarks) {
        if (member === roles.leader) return
        const upTo = Math.max(0, ...bookmarks.map(each => commits.get(each) ?? 0))
        while (copied < upTo) await new Promise<void>(resolve => void wake.push(resolve))
      },
    }),
  )
  const rest = async () => {
    following.abort()
    await loop
  }
  const stack = starting.move()
  return {
    uri: router.uri,
    reads: router.reads,
    async changeLeader() {
      roles.open = false
      router.cut()
      await rest()
      await copy()
      await copier[Symbol.asyncDispose]()
      roles.leader = follower()
      copier = await open()
      await copy()
      following = new AbortController()
      loop = follow(following)
      roles.open = true
    },
    async [Symbol.asyncDispose]() {
      await rest()
      await copier[Symbol.asyncDispose]()
      await stack.disposeAsync()
    },
  }
}
