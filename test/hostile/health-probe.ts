import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * Asks a service for its health without a pause. When it is asked, it reports the longest wait in milliseconds, with
 * that of the request that is in progress.
 */
let longest = 0
let isAsked = false
parentPort?.on('message', () => {
  isAsked = true
})
for (;;) {
  const began = performance.now()
  // A connection that is refused or cut is a wait too.
  while (!(await isHealthy())) await pause(5)
  longest = Math.max(longest, performance.now() - began)
  if (isAsked) {
    parentPort?.postMessage(longest)
    longest = 0
    isAsked = false
  }
  await pause(5)
}

async function isHealthy(): Promise<boolean> {
  try {
    const response = await fetch(`${workerData}/health`)
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}
