import { memoryUsage, versions } from 'node:process'
import { setFlagsFromString } from 'node:v8'

/** Above this much memory of the process, in bytes, processor time is spent to need less. */
const MUCH = 245 * 2 ** 20
const LOOK_MS = 250
/** Node.js 22 does not know `--memory-saver-mode`, and would say so on standard error. */
const FIRST_WITH_SAVER = 24

/**
 * Keeps the memory of this process near to what is alive in it: left to itself V8 lets garbage grow to several times that
 * where the machine has much memory, and keeps for later what a busy moment took. V8's saver mode gives that back,
 * but collects so often that requests take notably more processor time: it is on only while the process takes much. How
 * much may be alive is not limited. `npm start` and the image also keep the space for what is young small
 * (`--max-semi-space-size`), and V8 to one thread beside (`--v8-pool-size`), as each has a store of memory of its own;
 * both can only be said when Node.js starts.
 */
export function saveMemory(): void {
  setFlagsFromString('--heap-growing-percent=60')
  if (Number.parseInt(versions.node, 10) < FIRST_WITH_SAVER) return
  let saving = false
  setInterval(() => {
    if (memoryUsage.rss() > MUCH === saving) return
    saving = !saving
    setFlagsFromString(saving ? '--memory-saver-mode' : '--no-memory-saver-mode')
  }, LOOK_MS).unref()
}
