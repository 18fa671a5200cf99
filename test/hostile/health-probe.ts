import { parentPort, workerData } from 'node:worker_threads'

/** Asks a service for its health without a pause, and reports the longest wait in milliseconds when it is asked. */
let longest = 0
parentPort?.on('message', () => {
  parentPort?.postMessage(longest)
  longest = 0
})
for (;;) {
  const began = performance.now()
  await fetch(`${workerData}/health`).then(response => response.arrayBuffer())
  longest = Math.max(longest, performance.now() - began)
  await new Promise(resolve => setTimeout(resolve, 5))
}
