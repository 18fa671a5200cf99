import { END } from '../../platform/text/words.ts'

/** So much of the words of a long memory is compared. */
export const READ_CHARACTERS = 4_000

/** The words of a memory as the full-text index has them, of a long one as `beginningOf` cuts them. */
export const wordsOf = (m: string) => `CASE WHEN size(${m}.words) <= ${2 * READ_CHARACTERS} THEN ${m}.words
      ELSE ${beginning(m, 0)} + '${ESCAPED}' + ${beginning(m, 1)} END`

const beginning = (m: string, part: 0 | 1) =>
  `left(split(${m}.words, '${ESCAPED}')[${part}], ${READ_CHARACTERS})`

const ESCAPED = `\\u${END.codePointAt(0)?.toString(16).padStart(4, '0')}`
