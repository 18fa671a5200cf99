import type { TenantProfile } from '../../context.ts'
import { analyse } from './words.ts'

/** More of a content is not read for its words. */
const READ_CHARACTERS = 4_000

type Text = { readonly id: string; readonly content: string }

/** How much of a query memories contain: each content is read once for a request. */
export class Coverage {
  readonly #wanted: ReadonlyMap<string, number>
  readonly #whole: number
  readonly #shares = new Map<string, number>()

  constructor(terms: readonly string[], { rarity }: Pick<TenantProfile, 'rarity'>) {
    this.#wanted = new Map(analyse(terms.join(' ')).map(word => [word, rarity(word)]))
    this.#whole = sum([...this.#wanted.values()])
  }

  /** The share of the words of the query, weighted by their rarity with the tenant, that a memory contains. */
  of({ id, content }: Text): number {
    const known = this.#shares.get(id)
    if (known !== undefined) return known
    const share = this.#whole === 0 ? 0 : this.#sharedWith(content) / this.#whole
    this.#shares.set(id, share)
    return share
  }

  #sharedWith(content: string): number {
    const words = new Set(analyse(content.slice(0, READ_CHARACTERS)))
    return sum([...this.#wanted].map(([word, rarity]) => (words.has(word) ? rarity : 0)))
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
