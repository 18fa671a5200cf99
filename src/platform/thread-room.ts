import { readFileSync } from 'node:fs'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** What Node.js reserves for a thread before its heap grows (seen with 24: .75 GB), with a margin. */
const START_MB = 1_024
const BYTES_OF_MB = 1024 * 1024

/** A limit of the process leaves too little address space for a thread. */
export class NoRoomError extends Error {
  override readonly name = 'NoRoomError'
}

/** Of the threads that are about to reserve it. */
let claimedMb = 0

/**
 * Starts a worker thread. Node.js ends the whole process if it cannot reserve the address space of a thread, so this looks first.
 * @throws NoRoomError
 */
export function startThread(file: URL, options: WorkerOptions): Worker {
  const neededMb = START_MB + (options.resourceLimits?.maxOldGenerationSizeMb ?? 0)
  const { limitMb, usedMb } = addressSpace()
  if (usedMb + claimedMb + neededMb > limitMb)
    throw new NoRoomError(
      `the thread \`${options.name}\` needs ${neededMb} MB of address space: ${Math.ceil(usedMb + claimedMb)} of ${Math.floor(limitMb)} MB are in use. Raise the limit (LimitAS, ulimit -v)`,
    )
  const worker = new Worker(file, options)
  claimedMb += neededMb
  const release = () => {
    claimedMb -= neededMb
    worker.off('online', release).off('exit', release)
  }
  return worker.once('online', release).once('exit', release)
}

/** The error of a thread; that it had no memory to start with is said as such. */
export const threadFault = (error: Error): Error =>
  /out of memory/i.test(error.message) || /^ERR_WORKER_(INIT_FAILED|OUT_OF_MEMORY)$/.test(codeOf(error))
    ? new NoRoomError(`a thread has no memory: ${error.message}`, { cause: error })
    : error

const codeOf = (error: Error) => String((error as NodeJS.ErrnoException).code)

/** Without a limit wherever Linux does not report one. */
function addressSpace(): { limitMb: number; usedMb: number } {
  const limit = /^Max address space +(\d+)/m.exec(readProcess('limits'))?.[1]
  const used = /^VmSize:\s+(\d+)/m.exec(readProcess('status'))?.[1]
  return {
    limitMb: limit === undefined ? Number.POSITIVE_INFINITY : Number(limit) / BYTES_OF_MB,
    usedMb: Number(used ?? 0) / 1024,
  }
}

function readProcess(name: string): string {
  try {
    return readFileSync(`/proc/self/${name}`, 'utf8')
  } catch {
    return ''
  }
}
