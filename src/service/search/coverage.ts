import type { TenantProfile } from '../../context.ts'
import { indexedTokens, type QueryWord, type Tokens } from '../../platform/text/words.ts'

/** A memory and its words as the index has them. */
type Text = { readonly id: string; readonly words: string }

/** How much of a query memories contain: the words of each are read once for a request. */
export class Coverage {
  readonly #wanted: readonly { word: QueryWord; rarity: number }[]
  readonly #whole: number
  readonly #shares = new Map<string, number>()

  constructor(words: readonly QueryWord[], { rarity }: Pick<TenantProfile, 'rarity'>) {
    this.#wanted = words.map(word => ({ word, rarity: rarityOf(word, rarity) }))
    this.#whole = this.#wanted.reduce((sum, each) => sum + each.rarity, 0)
  }

  /** The share of the words of the query, weighted by their rarity with the tenant, that a memory contains. */
  of({ id, words }: Text): number {
    const known = this.#shares.get(id)
    if (known !== undefined) return known
    const share = this.shareIn(membership(indexedTokens(words)))
    this.#shares.set(id, share)
    return share
  }

  /** The same of a text of which is known whether it has a token. */
  shareIn(has: (token: string) => boolean): number {
    if (this.#whole === 0) return 0
    let shared = 0
    for (const { word, rarity } of this.#wanted) if (isIn(word, has)) shared += rarity
    return shared / this.#whole
  }
}

/** A word is as common as the most common of its forms. */
export const rarityOf = ({ forms }: QueryWord, rarity: (token: string) => number): number =>
  Math.min(...forms.map(rarity))

/** Whether a text has a token. */
export function membership({ stems, others }: Tokens): (token: string) => boolean {
  const all = new Set(stems)
  return token => all.has(token) || others.has(token)
}

export const isIn = ({ forms, exact, names }: QueryWord, has: (token: string) => boolean): boolean =>
  forms.some(has) || has(exact) || names.some(has)
