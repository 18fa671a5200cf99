import { type DestinationStream, type Logger, pino } from 'pino'
import type { Tracing } from './tracing/tracing.ts'

export type Log = Logger

/** JSON lines on standard error, so that standard output stays free for people and protocols. Never log content or keys. */
export const createLog = (
  level: string,
  destination: DestinationStream = pino.destination({ dest: 2, sync: true }),
  tracing?: Tracing,
): Log => {
  const mixin = tracing && { mixin: () => ({ ...tracing.ids() }) }
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, ...mixin }, destination)
}
