import type { Caller } from './attempts.ts'
import { int, type Parameters, write } from './statements.ts'

const MOST_CLEARED = 5_000

/**
 * Runs a statement that removes at most `$most` nodes and answers how many it `cleared`, until there are no more.
 * @throws ServiceError `database_unavailable`
 */
export async function clear(caller: Caller, text: string, parameters: Parameters): Promise<void> {
  for (let cleared = MOST_CLEARED; cleared === MOST_CLEARED; ) {
    const [row] = await write<{ cleared: number }>(caller, text, { ...parameters, most: int(MOST_CLEARED) })
    cleared = row?.cleared ?? 0
  }
}
