import { Socket } from 'node:net'

/** A row of Neo4j is one message, which the driver decodes at once and without a pause. */
const LONGEST_ROW_BYTES = 8_000_000

let received = 0
let isOver = false

/** Starts with the next row. */
export function rowReceived(): void {
  received = 0
}

/** Whether a row was too large since this was last asked for. */
export function wasTooLarge(): boolean {
  const was = isOver
  isOver = false
  received = 0
  return was
}

/**
 * Counts what the connections of this thread receive, and cuts one before the driver decodes a row that is too large. The
 * driver has no such limit of its own. Only for a thread that has no other connections.
 */
export function limitRows(): void {
  const { push } = Socket.prototype
  Socket.prototype.push = function (this: Socket, chunk: unknown, encoding?: BufferEncoding) {
    received += Buffer.isBuffer(chunk) ? chunk.length : 0
    if (received <= LONGEST_ROW_BYTES) return push.call(this, chunk, encoding)
    isOver = true
    this.destroy(new Error('A row is too large to decode.'))
    return false
  }
}
