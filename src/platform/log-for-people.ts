import type { DestinationStream } from 'pino'
import { build } from 'pino-pretty'

/** The log on a terminal, a line for each entry. */
export const createLinesForPeople = (): DestinationStream =>
  build({
    destination: 2,
    sync: true,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'request_id,operation,tenant,method,path,status,ms',
    messageFormat: lineOf,
  })

/** `POST /memories 201 32 ms` for a request; its ids are in the JSON only. */
function lineOf(log: Record<string, unknown>, messageKey: string): string {
  const { method, path, status, ms, ...rest } = log
  return status === undefined ? String(rest[messageKey]) : `${method} ${path} ${status} ${ms} ms`
}
