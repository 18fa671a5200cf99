/** The most marks in a run that a normal form is computed for (UAX #15, Stream-Safe Text Format). */
const LONGEST_RUN = 30
const tooLong = new RegExp(`(\\p{M}{${LONGEST_RUN}})(?=\\p{M})`, 'gu')
/** U+034F is a mark that others are not sorted across. */
const GRAPHEME_JOINER = '\u034f'

/**
 * A text in a normal form, in time linear in its length. Sorting a run of combining marks takes quadratic time, so
 * longer runs are broken first, as the Stream-Safe Text Format of UAX #15 does.
 */
export const normalize = (text: string, form: 'NFC' | 'NFD' | 'NFKC'): string =>
  text.replace(tooLong, `$1${GRAPHEME_JOINER}`).normalize(form)
