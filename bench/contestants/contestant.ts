/** What every contestant can do. Each call is given a number from which its input follows. */
export type Contestant = {
  semantic(call: number): Promise<string[]>
  keyword(call: number): Promise<string[]>
  hybrid(call: number): Promise<string[]>
  get(call: number): Promise<unknown>
  firstPage(call: number): Promise<string[]>
  /** The page at the end of the longest list. */
  lastPage(call: number): Promise<string[]>
  related(call: number): Promise<string[]>
  create(call: number): Promise<unknown>
}

export const LIMIT = 10
export const PAGE = 100
export const DEPTH = 5
export const RELATED = 100
