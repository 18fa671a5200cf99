/** A carriage return as it stands would be read as a line feed. */
export const inXml = (plain: string) =>
  plain
    .replaceAll(notInXml, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;')

/** Line feeds and tabs as they stand would be read as blanks. */
export const inAttribute = (plain: string) =>
  inXml(plain).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')

/** All but the characters that XML 1.0 allows. */
const notInXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu
