/** A query is refused. The message is a sentence that names the place. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** @throws Refusal */
export function refuse(at: number, text: string): never {
  throw new PlacedRefusal(at, text)
}

/** A refusal before the place, which counts UTF-16 units, is a line and a column. */
class PlacedRefusal extends Error {
  readonly at: number

  constructor(at: number, text: string) {
    super(text)
    this.at = at
  }
}

/** Runs what may refuse a part of a query. @throws Refusal */
export function withPlaces<T>(query: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof PlacedRefusal)) throw error
    const before = query.slice(0, error.at).split('\n')
    const column = Array.from(before.at(-1) ?? '').length + 1
    throw new Refusal(`Line ${before.length}, column ${column}: ${error.message}.`)
  }
}
