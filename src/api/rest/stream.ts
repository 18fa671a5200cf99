import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import type { TextStream } from '../../contract/route.ts'

/** A reader that takes nothing for so long is gone. */
const STALLED_MS = 60_000

/**
 * Sends a stream no faster than it is read, and ends it when nobody reads any more. What fails before the first piece
 * is answered as a problem; what fails later cuts the answer off, so that nobody takes a part for the whole.
 */
export async function sendStream({ mediaType, fileName, pieces }: TextStream, req: Request, res: Response) {
  const rest = pieces[Symbol.asyncIterator]()
  const first = await rest.next()
  res.set('Content-Type', `${mediaType}; charset=utf-8`)
  if (mediaType === 'text/event-stream') res.set('X-Accel-Buffering', 'no')
  if (fileName !== undefined) res.set('Content-Disposition', `attachment; filename="${fileName}"`)
  if (req.method === 'HEAD') {
    await rest.return?.()
    return void res.end()
  }
  res.setTimeout(STALLED_MS, () => res.destroy())
  await pipeline(continued(first, rest), res).catch(error => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'))
      throw error
  })
}

/** The pieces, of which the first has been taken already. */
async function* continued(first: IteratorResult<string>, rest: AsyncIterator<string>) {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}
