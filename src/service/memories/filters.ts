import type { Range } from '../../store/memories/ordering.ts'

/** A span of time in whole milliseconds, from inclusive to exclusive. */
export const timeRange = (after: string | undefined, before: string | undefined): Range => ({
  from: after === undefined ? undefined : firstMillisecond(after),
  to: before === undefined ? undefined : firstMillisecond(before),
})

/** The graph keeps milliseconds: a finer bound begins with the next one. */
const firstMillisecond = (time: string): number => Date.parse(time) + (isFiner(time) ? 1 : 0)

/** Whether a time lies between two milliseconds. */
export const isFiner = (time: string): boolean => /\.\d{3}\d*[1-9]\d*(?=[Zz+-])/.test(time)
