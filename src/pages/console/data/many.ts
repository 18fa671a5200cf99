/** So many requests are in progress at once. */
const AT_ONCE = 8

type Options = { signal?: AbortSignal; onDone?: (count: number) => void }

/**
 * Runs one call for each, several at once, and returns those for which it succeeded. After an abort no further call starts.
 * `refusal` is the first one.
 */
export async function forEach<Each>(
  all: readonly Each[],
  run: (each: Each) => Promise<unknown>,
  { signal, onDone }: Options = {},
): Promise<{ done: Each[]; refusal: unknown }> {
  const left = all.values()
  const done: Each[] = []
  let refusal: unknown
  const work = async () => {
    for (const each of left) {
      if (signal?.aborted) return
      try {
        await run(each)
        done.push(each)
        onDone?.(done.length)
      } catch (error) {
        refusal ??= error
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { done, refusal }
}
