/** Paragraphs under a path of headings, before they are cut to size. */
export type Unit = { path: string[]; blocks: string[] }

/**
 * Sizes in characters. A memory is one thought: long enough to be understood alone, short enough that its vector
 * stands for all of it (small sentence-transformers read some 250 words) and that a result can be read quickly.
 */
export const COMFORTABLE = 2_000
export const SMALL = 200
/** A table or a piece of code stays whole up to this; beyond it is cut at its lines. */
export const LARGEST = 6_000
