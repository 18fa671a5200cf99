import { cardNumbers } from './cards.ts'
import { issuedSecrets } from './issued.ts'
import { namedSecrets } from './named.ts'
import { privateKeys } from './private-keys.ts'
import { matchesOf, type Rule, type Secret } from './rule.ts'

const rules: readonly Rule[] = [...issuedSecrets, ...namedSecrets, cardNumbers]

/** The secrets in a text in their order, none over another, in linear time. */
export function findSecrets(text: string): Secret[] {
  const found = [...privateKeys(text), ...rules.flatMap(rule => matchesOf(rule, text))]
  const secrets: Secret[] = []
  for (const each of found.sort((a, b) => a.start - b.start || b.end - a.end))
    if (each.start >= (secrets.at(-1)?.end ?? 0)) secrets.push(each)
  return secrets
}

/** A text with the kind of each secret in its place. */
export function maskSecrets(text: string, secrets: readonly Secret[]): string {
  const parts = secrets.map(
    ({ kind, start }, at) => `${text.slice(secrets[at - 1]?.end ?? 0, start)}[masked: ${kind}]`,
  )
  return parts.join('') + text.slice(secrets.at(-1)?.end ?? 0)
}
