import { loadavg } from 'node:os'

/** What contestants do, by name; a call is given a number that no other call of the run has. */
export type Operation = {
  readonly name: string
  readonly callers: number
  /** Calls of one contestant in one round. */
  readonly calls: number
  readonly contestants: Readonly<Record<string, (call: number) => Promise<unknown>>>
}

/** Milliseconds, calls a second. */
export type Measured = { p50: number; p99: number; perSecond: number }

export type OperationResult = {
  name: string
  callers: number
  rounds: number
  /** The medians of the rounds; p99 is that of all their calls together, as one round has too few for it. */
  contestants: Record<string, Measured>
  /** The service against each other contestant: medians of the ratios of each round. */
  ratios: Record<string, { p50: number; perSecond: number }>
  load: number
}

let nextCall = 0

/**
 * Lets the contestants of each operation take turns for so many rounds, another one first each time: what else the
 * machine does falls on all of them alike.
 */
export async function interleave(
  operations: readonly Operation[],
  { rounds, warmUp: seconds, say }: { rounds: number; warmUp: number; say: (line: string) => void },
): Promise<OperationResult[]> {
  for (const operation of operations)
    for (const run of Object.values(operation.contestants)) await warmUp(run, operation, seconds)
  const measured = operations.map(() => [] as Record<string, Sample>[])
  const loads = operations.map(() => [] as number[])
  for (let round = 0; round < rounds; round++)
    for (const [index, operation] of operations.entries()) {
      const names = rotated(Object.keys(operation.contestants), round)
      const results: Record<string, Sample> = {}
      for (const name of names)
        results[name] = await measure(
          operation.contestants[name] as (call: number) => Promise<unknown>,
          operation,
        )
      measured[index]?.push(results)
      loads[index]?.push(loadavg()[0] as number)
    }
  return operations.map((operation, index) => {
    const result = summary(operation, measured[index] ?? [], loads[index] ?? [])
    say(lineOf(result))
    return result
  })
}

type Round = Pick<Operation, 'callers' | 'calls'>

/** Calls before what is measured: plans are made, and what runs often is compiled. At least one round of them. */
export async function warmUp(run: (call: number) => Promise<unknown>, round: Round, seconds = 2) {
  const until = performance.now() + 1000 * seconds
  do await measure(run, round)
  while (performance.now() < until)
}

/** What was measured, with the milliseconds of each call. */
type Sample = Measured & { times: number[] }

/** Calls with so many callers, each making its next call when the last one is answered. */
export async function measure(
  run: (call: number) => Promise<unknown>,
  { callers, calls }: Round,
): Promise<Sample> {
  const times: number[] = []
  let left = calls
  const began = performance.now()
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left-- > 0) {
        const asked = performance.now()
        await run(nextCall++)
        times.push(performance.now() - asked)
      }
    }),
  )
  return { ...percentiles(times), perSecond: (1000 * calls) / (performance.now() - began), times }
}

export function percentiles(times: readonly number[]): { p50: number; p99: number } {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

export const median = (values: readonly number[]) => percentiles(values).p50

function summary(
  { name, callers }: Operation,
  rounds: readonly Record<string, Sample>[],
  loads: readonly number[],
): OperationResult {
  const names = Object.keys(rounds[0] ?? {})
  const of = (who: string, what: keyof Measured) => rounds.map(round => round[who]?.[what] ?? 0)
  const contestants = Object.fromEntries(
    names.map(who => [
      who,
      {
        p50: median(of(who, 'p50')),
        p99: percentiles(rounds.flatMap(round => round[who]?.times ?? [])).p99,
        perSecond: median(of(who, 'perSecond')),
      },
    ]),
  )
  const ratio = (who: string, what: keyof Measured) =>
    median(rounds.map(round => (round.service?.[what] ?? 0) / (round[who]?.[what] ?? 1)))
  const ratios = Object.fromEntries(
    names
      .filter(who => who !== 'service')
      .map(who => [who, { p50: ratio(who, 'p50'), perSecond: ratio(who, 'perSecond') }]),
  )
  return { name, callers, rounds: rounds.length, contestants, ratios, load: median(loads) }
}

export function lineOf({ name, callers, contestants, ratios, load }: OperationResult): string {
  const times = Object.entries(contestants).map(
    ([who, { p50, p99, perSecond }]) =>
      `${who} ${p50.toFixed(2)} / ${p99.toFixed(1)} ms, ${perSecond.toFixed(0)}/s`,
  )
  const against = Object.entries(ratios).map(
    ([who, { p50, perSecond }]) => `×${p50.toFixed(2)} p50, ×${perSecond.toFixed(2)} throughput of ${who}`,
  )
  return `${name}, ${callers} callers: ${[...times, ...against].join('; ')}; load ${load.toFixed(1)}`
}

/** With another item first for each number. */
export const rotated = <Item>(items: readonly Item[], by: number) => [
  ...items.slice(by % items.length),
  ...items.slice(0, by % items.length),
]
