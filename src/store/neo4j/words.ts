import { END } from '../../platform/text/words.ts'

/** So many characters of the stems of a memory are compared, and as many of what else it is found by. */
export const READ_CHARACTERS = 8_000

/** The words of a memory as the full-text index has them, cut as `cutWords` does it. A memory without any is a fault of the graph. */
export const comparedWords = (m: string) => `CASE WHEN size(${m}.words) > ${READ_CHARACTERS}
      THEN ${beginning(m, 0)} + '${ESCAPED}' + ${beginning(m, 1)} ELSE coalesce(${m}.words, '') END`

const beginning = (m: string, part: 0 | 1) =>
  `left(split(${m}.words, '${ESCAPED}')[${part}], ${READ_CHARACTERS})`

const ESCAPED = `\\u${END.codePointAt(0)?.toString(16).padStart(4, '0')}`
