/**
 * Waits for a value until the signal is aborted. Others may still wait for the value; a later rejection is ignored here.
 * @throws the reason of the signal, as soon as it is aborted
 */
export async function untilAborted<Value>(signal: AbortSignal, value: Promise<Value>): Promise<Value> {
  value.catch(() => {})
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([value, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
