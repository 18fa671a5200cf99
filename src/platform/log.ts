import { type Logger, pino } from 'pino'
import { type PrettyOptions, build as pretty } from 'pino-pretty'

export type Log = Logger

/**
 * JSON lines on standard error, so that standard output stays free for people and protocols; on a terminal in development
 * lines for people. Never log content or keys.
 */
export const createLog = (level: string, forPeople = false): Log =>
  pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    forPeople ? pretty(ON_A_TERMINAL) : pino.destination({ dest: 2, sync: true }),
  )

/** `POST /memories 201 32 ms` for a request; its ids are in the JSON only. */
function lineOf(log: Record<string, unknown>, messageKey: string): string {
  const { method, path, status, ms, ...rest } = log
  return status === undefined ? String(rest[messageKey]) : `${method} ${path} ${status} ${ms} ms`
}

const ON_A_TERMINAL: PrettyOptions = {
  destination: 2,
  sync: true,
  singleLine: true,
  translateTime: 'SYS:HH:MM:ss',
  ignore: 'request_id,operation,tenant,method,path,status,ms',
  messageFormat: lineOf,
}
