import type { Secret } from './rule.ts'

type Block = {
  /** Finds where a block begins, or in its group `end` where one ends. */
  readonly marker: RegExp
  readonly body: RegExp
  /** One that was cut: what there is of it is as secret. */
  readonly cut: RegExp
}

const blocks: readonly Block[] = [
  {
    marker:
      /-----(?:BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|(?<end>END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----))/g,
    body: /^[A-Za-z0-9+/=\s:,.()\\-]{40,}$/,
    cut: /^[\s\\n]{1,4}[A-Za-z0-9+/=\s\\]{40,}/,
  },
  {
    marker: /PuTTY-User-Key-File-[23]: |(?<end>Private-MAC: [0-9a-f]{40,64})/g,
    body: /^[\s\S]{20,}$/,
    cut: /^[\s\S]{0,400}Private-Lines: [A-Za-z0-9+/=\s]{40,}/,
  },
]

/** The private keys of a text. Each block is read as far as the next marker, so no part of a text is read again. */
export const privateKeys = (text: string): Secret[] => blocks.flatMap(block => blocksIn(text, block))

function blocksIn(text: string, { marker, body, cut }: Block): Secret[] {
  const markers = [...text.matchAll(marker)]
  return markers.flatMap((begin, at): Secret[] => {
    if (begin.groups?.end !== undefined) return []
    const next = markers[at + 1]
    const from = begin.index + begin[0].length
    const inside = text.slice(from, next?.index)
    const kind = 'private_key'
    if (next?.groups?.end !== undefined && body.test(inside))
      return [{ kind, start: begin.index, end: next.index + next[0].length }]
    const rest = cut.exec(inside)
    return rest ? [{ kind, start: begin.index, end: from + rest[0].length }] : []
  })
}
