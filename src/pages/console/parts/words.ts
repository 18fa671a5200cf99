/** A time to the minute, as people read it. */
export const shortTime = (time: string | null) => time?.slice(0, 16).replace('T', ' ') ?? '–'

/** A name of the contract as words. */
export const inWords = (name: string) => name.replaceAll('_', ' ')

export const countOf = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** What a memory is called in lists. */
export const firstLine = ({ content }: { content: string }) =>
  content.split('\n')[0]?.replace(/^#+ /, '').slice(0, 160) || '(empty line)'
