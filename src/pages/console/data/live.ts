import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { privateTenant } from '../../../contract/private.ts'
import { type Access, readAccess, readsBoth } from './access.ts'
import { eventsOf } from './client.ts'

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

const AGAIN_MS = 2_000
/** Changes that come close together are read together. */
const GATHER_MS = 300
/** What is large is read again less often. */
const GATHER_LARGE_MS = 5_000

let running = 0

/** Runs many changes of this page itself: the views are read again after all of them, and not after each. */
export async function withoutReading<Result>(run: () => Promise<Result>): Promise<Result> {
  running++
  try {
    return await run()
  } finally {
    running--
  }
}

/** Reads again what is shown whenever the feed reports a change. Returns whether it is connected. */
export function useLive(): boolean {
  const queries = useQueryClient()
  const [isLive, setLive] = useState(false)
  useEffect(() => {
    const ending = new AbortController()
    const gather = (isLarge: boolean, ms: number) => {
      let gathering: ReturnType<typeof setTimeout> | undefined
      ending.signal.addEventListener('abort', () => clearTimeout(gathering))
      return () => {
        gathering ??= setTimeout(() => {
          gathering = undefined
          if (running === 0)
            void queries.invalidateQueries({ predicate: ({ meta }) => (meta?.isLarge === true) === isLarge })
        }, ms)
      }
    }
    const refreshers = [gather(false, GATHER_MS), gather(true, GATHER_LARGE_MS)]
    const refresh = () => {
      for (const each of refreshers) each()
    }
    const listen = async (access: Access | undefined) => {
      let isOpen = false
      for await (const { data } of eventsOf('/api/v1/events', { signal: ending.signal }, access)) {
        setLive(true)
        if (data !== '') refresh()
        // A change between an earlier reading and this moment is not in the stream.
        else if (!isOpen)
          void queries.invalidateQueries({ predicate: ({ state }) => state.data !== undefined })
        isOpen = true
      }
    }
    const follow = async (access?: Access) => {
      while (!ending.signal.aborted) {
        await listen(access).catch(() => {})
        if (ending.signal.aborted) return
        setLive(false)
        await pause(AGAIN_MS)
      }
    }
    void follow()
    const access = readAccess()
    if (access?.owner && readsBoth(access))
      void follow({ ...access, tenant: privateTenant(access.tenant, access.owner) })
    return () => ending.abort()
  }, [queries])
  return isLive
}
