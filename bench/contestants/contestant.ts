/** What every contestant can do. Each call is given a number from which its input follows. */
export type Contestant = {
  semantic(call: number): Promise<string[]>
  keyword(call: number): Promise<string[]>
  hybrid(call: number): Promise<string[]>
  get(call: number): Promise<string[]>
  firstPage(call: number): Promise<string[]>
  /** The page at the end of the longest list. */
  lastPage(call: number): Promise<string[]>
  related(call: number): Promise<string[]>
  create(call: number): Promise<unknown>
}

/** What the pages call the operations, in the order of their tables. */
export const titles: Readonly<Record<keyof Contestant, string>> = {
  semantic: 'semantic search',
  keyword: 'keyword search',
  hybrid: 'hybrid search',
  get: 'get a memory',
  firstPage: 'first page of 100',
  lastPage: 'last page of 100',
  related: 'related, depth 5, limit 100',
  create: 'create a memory',
}

export const operations = Object.keys(titles) as (keyof Contestant)[]

export type Read = Exclude<keyof Contestant, 'create'>

export const reads = operations.filter((name): name is Read => name !== 'create')

/** The same of each call that reads. */
export const ofEachRead = <Of>(make: (name: Read) => Of) =>
  Object.fromEntries(reads.map(name => [name, make(name)])) as Record<Read, Of>

export const LIMIT = 10
export const PAGE = 100
export const DEPTH = 5
export const RELATED = 100
