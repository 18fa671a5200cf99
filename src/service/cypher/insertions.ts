/** Texts to be put into a query, at places that count code points of the query as it was. */
export class Insertions {
  private readonly insertions: { at: number; text: string }[] = []

  protected insert(at: number, text: string): void {
    this.insertions.push({ at, text })
  }

  apply(query: string): string {
    const chars = Array.from(query)
    // From the end, and of several at one place the last first.
    for (const { at, text } of this.insertions.toReversed().sort((a, b) => b.at - a.at))
      chars.splice(at, 0, text)
    return chars.join('')
  }
}
