/** A time to the minute, as people read it. */
export const shortTime = (time: string | null) => time?.slice(0, 16).replace('T', ' ') ?? '–'

/** A name of the contract as words. */
export const inWords = (name: string) => name.replaceAll('_', ' ')

export const countOf = (count: number, one: string, many = `${one}s`) =>
  `${count} ${count === 1 ? one : many}`
