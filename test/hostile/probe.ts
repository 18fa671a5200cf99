import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/** What others ask a service for all the while. */
export type Watched = { readonly url: string; readonly headers?: Record<string, string> }
/** The longest wait in milliseconds, and how often an answer was a fault, since the last report. */
export type Waited = { readonly longest: number; readonly faults: number }

const followed = (workerData as readonly Watched[]).map(follow)
parentPort?.on('message', async () =>
  parentPort?.postMessage(await Promise.all(followed.map(report => report()))),
)

/** Asks without a pause. A report includes the request that is in progress. */
function follow({ url, headers = {} }: Watched): () => Promise<Waited> {
  let waited: Waited = { longest: 0, faults: 0 }
  const ask = async () => {
    const began = performance.now()
    let { faults } = waited
    // A connection that is refused or cut is a wait too.
    for (let status = await statusOf(url, headers); status !== 200; status = await statusOf(url, headers)) {
      if (status !== undefined && status >= 500) faults++
      await pause(5)
    }
    waited = { longest: Math.max(waited.longest, performance.now() - began), faults }
  }
  let asking = Promise.resolve()
  const keepOn = async () => {
    for (;;) {
      asking = ask()
      await asking
      await pause(5)
    }
  }
  void keepOn()
  return async () => {
    await asking
    const report = waited
    waited = { longest: 0, faults: 0 }
    return report
  }
}

async function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  try {
    const response = await fetch(url, { headers })
    await response.arrayBuffer()
    return response.status
  } catch {
    return undefined
  }
}
