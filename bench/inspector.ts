/** The part of a CPU profile of V8 that is read here; times in microseconds. */
export type Profile = {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[]
  samples: number[]
  timeDeltas: number[]
}

/** The profiler of a process that was started with `--inspect=127.0.0.1:PORT`, over the Chrome DevTools Protocol. */
export async function connectProfiler(port: number) {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string
  }[]
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '')
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  const waiting = new Map<number, (result: unknown) => void>()
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result: unknown }
    if (id !== undefined) waiting.get(id)?.(result)
  }
  let last = 0
  const ask = (method: string, params = {}) => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    waiting.set(++last, resolve)
    socket.send(JSON.stringify({ id: last, method, params }))
    return promise
  }
  await ask('Profiler.enable')
  await ask('Profiler.setSamplingInterval', { interval: 200 })
  return {
    /** Samples the process while something happens. */
    async during(work: () => Promise<unknown>): Promise<Profile> {
      await ask('Profiler.start')
      await work()
      return ((await ask('Profiler.stop')) as { profile: Profile }).profile
    },
    [Symbol.dispose]: () => socket.close(),
  }
}
