/** What texts hold that belongs into a store of secrets. */
type SecretKind =
  | 'api_key'
  | 'access_token'
  | 'private_key'
  | 'password'
  | 'credentials_in_url'
  | 'card_number'

export type Secret = { readonly kind: SecretKind; readonly start: number; readonly end: number }

type Rule = {
  readonly kind: SecretKind
  readonly pattern: RegExp
  /** Whether a match is one: of the group `value` if the pattern has it. */
  readonly holds?: (value: string) => boolean
}

/** The secrets in a text in their order, none over another. Takes linear time: no pattern repeats without a bound. */
export function findSecrets(text: string): Secret[] {
  const found = rules.flatMap(({ kind, pattern, holds = () => true }) =>
    Array.from(text.matchAll(pattern), match => {
      const value = match.groups?.value
      const start = match.index + (value === undefined ? 0 : match[0].lastIndexOf(value))
      return { kind, start, end: start + (value ?? match[0]).length, value: value ?? match[0] }
    }).filter(({ value }) => holds(value)),
  )
  const secrets: Secret[] = []
  for (const { kind, start, end } of found.sort((a, b) => a.start - b.start || b.end - a.end))
    if (start >= (secrets.at(-1)?.end ?? 0)) secrets.push({ kind, start, end })
  return secrets
}

/** A text with the kind of each secret in its place. */
export function maskSecrets(text: string, secrets: readonly Secret[]): string {
  const parts = secrets.map(
    ({ kind, start }, at) => `${text.slice(secrets[at - 1]?.end ?? 0, start)}[masked: ${kind}]`,
  )
  return parts.join('') + text.slice(secrets.at(-1)?.end ?? 0)
}

/** Prefixes that their issuers document, each with what follows it. */
const API_KEYS = [
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}',
  'AIza[\\w-]{35}',
  'sk-ant-(?:api|admin)\\d{2}-[\\w-]{80,120}',
  'sk-(?:proj|svcacct|admin)-[\\w-]{40,200}',
  'sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}',
  'sk-or-v1-[0-9a-f]{64}',
  '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,120}',
  'whsec_[A-Za-z0-9+/]{24,64}',
  'SG\\.[\\w-]{22}\\.[\\w-]{43}',
  'SK[0-9a-f]{32}',
  'key-[0-9a-f]{32}',
  'sq0(?:atp|csp)-[\\w-]{22,43}',
  'lin_api_[A-Za-z0-9]{40}',
  'NRAK-[A-Z0-9]{27}',
  'gsk_[A-Za-z0-9]{52}',
  'xai-[A-Za-z0-9]{80}',
  'pplx-[A-Za-z0-9]{48,56}',
  'r8_[A-Za-z0-9]{37}',
  'GOCSPX-[\\w-]{28}',
  'mnk_[0-9A-Za-z]{32}_[\\w-]{43}',
]

const ACCESS_TOKENS = [
  'gh[pousr]_[A-Za-z0-9]{36,251}',
  'github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}',
  'gl(?:pat|dt|rt|ptt|cbt|agent)-[\\w-]{20,64}',
  'xox[abeoprs]-[A-Za-z0-9-]{20,250}',
  'xapp-\\d-[A-Z0-9]{8,14}-\\d{10,14}-[0-9a-f]{64}',
  'https://hooks\\.slack\\.com/services/T[A-Z0-9]{6,12}/B[A-Z0-9]{6,12}/[A-Za-z0-9]{20,26}',
  'npm_[A-Za-z0-9]{36}',
  'pypi-AgEIcHlwaS5vcmc[\\w-]{50,250}',
  'dckr_pat_[\\w-]{27}',
  'hf_[A-Za-z]{34}',
  'do[opr]_v1_[0-9a-f]{64}',
  'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}',
  'dapi[0-9a-f]{32}',
  'hv[sbr]\\.[\\w-]{24,120}',
  'sbp_[0-9a-f]{40}',
  'figd_[\\w-]{40,60}',
  'ntn_[A-Za-z0-9]{40,50}',
  'pscale_(?:tkn|pw|oauth)_[\\w.-]{32,64}',
  'ya29\\.[\\w-]{40,300}',
  'ATATT3[\\w=-]{60,250}',
  '[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,70}',
  '\\d{8,10}:AA[\\w-]{33}',
  'eyJ[\\w-]{8,2000}\\.eyJ[\\w-]{8,8000}\\.[\\w-]{16,1400}',
]

/** A prefix may stand in a longer word that is no secret. */
const oneOf = (patterns: readonly string[]) =>
  new RegExp(`(?<![\\w-])(?:${patterns.join('|')})(?![\\w-])`, 'g')

/** The name of a secret before its value: in settings, code, JSON, headers and sentences. */
const NAMED_KEY =
  '(?:api[_-]?key|apikey|access[_-]?key|secret[_-]?(?:access[_-]?)?key|client[_-]?secret|account[_-]?key|auth[_-]?token|access[_-]?token|signing[_-]?key)'
const NAMED_PASSWORD = '(?:password|passwd|passphrase|pwd|passwort|contrase(?:ñ|n)a|mot de passe)'
const BETWEEN = '["\'`]?\\s{0,3}(?::|=>?|\\bis\\b|\\bist\\b)\\s{0,3}["\'`]?'

const rules: readonly Rule[] = [
  {
    kind: 'private_key',
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s:,.()\\-]{40,20000}?-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g,
  },
  // One that was cut: what there is of it is as secret.
  {
    kind: 'private_key',
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----[\s\\n]{1,4}[A-Za-z0-9+/=\s\\]{40,20000}/g,
  },
  { kind: 'private_key', pattern: /PuTTY-User-Key-File-[23]: [\s\S]{20,4000}?Private-MAC: [0-9a-f]{40,64}/g },
  { kind: 'private_key', pattern: /(?<!\w)AGE-SECRET-KEY-1[A-Z0-9]{58}(?!\w)/g },
  { kind: 'api_key', pattern: oneOf(API_KEYS) },
  { kind: 'access_token', pattern: oneOf(ACCESS_TOKENS) },
  {
    kind: 'credentials_in_url',
    pattern:
      /(?<![\w])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/?#"'<>]{0,100}:(?<value>[^\s:@/?#"'<>]{3,200})@[\w.-]/gi,
    holds: value => !isPlaceholder(value),
  },
  {
    kind: 'access_token',
    pattern:
      /\bauthorization["']?\s{0,2}[:=]\s{0,2}["']?(?:bearer|basic|token)\s{1,2}(?<value>[\w.~+/=-]{16,2000})/gi,
    holds: value => !isPlaceholder(value) && isMixed(value),
  },
  {
    kind: 'api_key',
    pattern: new RegExp(`${NAMED_KEY}${BETWEEN}(?<value>[\\w+/=.~-]{16,200})(?![\\w+/=.~(\\[-])`, 'gi'),
    holds: value => !isPlaceholder(value) && isMixed(value),
  },
  {
    kind: 'password',
    pattern: new RegExp(`${NAMED_PASSWORD}${BETWEEN}(?<value>[^\\s"'\`<>,;]{6,200})`, 'gi'),
    holds: value => !isPlaceholder(value) && /[\d\W_]/.test(value.slice(0, -1)),
  },
  {
    kind: 'card_number',
    pattern: /(?<![\w.,+/-])(?:\d{4}(?:[ -]\d{4}){3}|\d{4}[ -]\d{6}[ -]\d{4,5}|\d{13,19})(?![\w/-]|[.,]\d)/g,
    holds: isCardNumber,
  },
]

/** What stands in examples and code in place of a secret. */
const isPlaceholder = (value: string) =>
  /^[$%<{[./~]|^!secret|^[a-z]:\\|^(?:process|os|env|config|settings|secrets?|var|vault|import|get\w*)\b|\w\(|^(.)\1+$|^[x*•.…-]+$|^(?:pass(?:word|wd)?|secret|pwd)$|your|example|change[_-]?me|placeholder|redacted|masked|dummy|sample|insert|to-?do/i.test(
    value,
  )

/** A random text has letters and digits, and hardly a character often. */
const isMixed = (value: string) =>
  /[A-Za-z]/.test(value) && /\d/.test(value) && new Set(value).size >= Math.min(10, value.length / 2)

/** Lengths by the first digits, as the issuers have them, and the check digit. */
function isCardNumber(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '')
  const isIssued =
    /^(?:4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|4[4-9]\d|5\d\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17})$/.test(
      digits,
    )
  return isIssued && new Set(digits).size > 1 && hasCheckDigit(digits)
}

function hasCheckDigit(digits: string): boolean {
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, at) => {
      const value = Number(digit) * (at % 2 === 0 ? 1 : 2)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return sum % 10 === 0
}
