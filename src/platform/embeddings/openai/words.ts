const LONGEST_WORDS = 300
/** A text of the request that is quoted for so many characters is hidden. */
const QUOTED = 12

/**
 * What a provider says about a refusal, for the operator: without credentials, addresses and the texts of the request.
 * Undefined if it says nothing.
 */
export function errorWordsOf(
  answer: string,
  texts: readonly string[],
  secret: string | undefined,
): string | undefined {
  const message = messageIn(answer)
  const plain = (secret ? message.replaceAll(secret, '…') : message)
    .replaceAll(/\b(?:sk|pk|api|key|token)[-_][\w-]{6,}|\bBearer\s+\S+|[\w+/=-]{32,}/gi, '…')
    .replaceAll(/\b[a-z][a-z0-9+.-]{0,30}:\/\/\S+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/gi, '…')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST_WORDS)
  return hideTexts(plain, texts) || undefined
}

/** Servers write it under different names, or as a plain text. */
function messageIn(answer: string): string {
  try {
    const { error, message, detail } = JSON.parse(answer)
    return [error?.message, message, detail, error].find(each => typeof each === 'string') ?? answer
  } catch {
    return answer
  }
}

function hideTexts(words: string, texts: readonly string[]): string {
  const short = texts.filter(text => text.length < QUOTED && text.trim().length > 3)
  const rest = short.reduce((each, text) => each.replaceAll(text, '…'), words)
  const sent = texts.map(text => text.replaceAll(/\s+/g, ' ')).filter(text => text.length >= QUOTED)
  const hidden = Array.from(rest, () => false)
  for (let at = 0; at + QUOTED <= rest.length; at++)
    if (sent.some(text => text.includes(rest.slice(at, at + QUOTED)))) hidden.fill(true, at, at + QUOTED)
  return Array.from({ length: rest.length }, (_, at) =>
    hidden[at] ? (hidden[at - 1] ? '' : '…') : rest[at],
  ).join('')
}
