import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { findSecrets, maskSecrets } from '../../src/platform/text/secrets/index.ts'

/** Text that looks random, the same at each run. No whole secret stands in this file, so that no scanner stops at it. */
function random(length: number, alphabet: string): string {
  const bytes = Array.from({ length: Math.ceil(length / 32) }, (_, at) =>
    createHash('sha256').update(`${length}:${alphabet}:${at}`).digest(),
  )
  return Array.from(Buffer.concat(bytes).subarray(0, length), byte => alphabet[byte % alphabet.length]).join(
    '',
  )
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const WORD = `${LETTERS}0123456789`
const HEX = '0123456789abcdef'
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const word = (length: number) => random(length, WORD)
const hex = (length: number) => random(length, HEX)
const lines = (bytes: number) =>
  Array.from({ length: bytes / 64 }, (_, at) => word(64 + at).slice(at)).join('\n')
const pem = (name: string) => `-----BEGIN ${name}-----\n${lines(640)}\n-----END ${name}-----`
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const forms: readonly [string, string, string][] = [
  ['AWS access key', 'api_key', `AKIA${random(16, BASE32)}`],
  ['AWS temporary key', 'api_key', `ASIA${random(16, BASE32)}`],
  ['AWS secret key in a setting', 'api_key', `aws_secret_access_key = ${word(40)}`],
  ['Google API key', 'api_key', `AIza${word(35)}`],
  ['Google OAuth secret', 'api_key', `GOCSPX-${word(28)}`],
  ['Google access token', 'access_token', `ya29.${word(60)}`],
  ['OpenAI key, first form', 'api_key', `sk-${word(20)}T3BlbkFJ${word(20)}`],
  ['OpenAI project key', 'api_key', `sk-proj-${word(74)}`],
  ['Anthropic key', 'api_key', `sk-ant-api03-${word(93)}AA`],
  ['OpenRouter key', 'api_key', `sk-or-v1-${hex(64)}`],
  ['Stripe live key', 'api_key', `sk_live_${word(24)}`],
  ['Stripe restricted key', 'api_key', `rk_live_${word(24)}`],
  ['Stripe webhook secret', 'api_key', `whsec_${word(32)}`],
  ['SendGrid key', 'api_key', `SG.${word(22)}.${word(43)}`],
  ['Groq key', 'api_key', `gsk_${word(52)}`],
  ['Linear key', 'api_key', `lin_api_${word(40)}`],
  ['Key of this service', 'api_key', `mnk_${hex(32)}_${word(43)}`],
  ['Azure storage key', 'api_key', `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${word(86)}==`],
  ['API key in JSON', 'api_key', `{"api_key": "${word(32)}"}`],
  ['GitHub personal token', 'access_token', `ghp_${word(36)}`],
  ['GitHub server token', 'access_token', `ghs_${word(36)}`],
  ['GitHub fine-grained token', 'access_token', `github_pat_${word(22)}_${word(59)}`],
  ['GitLab token', 'access_token', `glpat-${word(20)}`],
  ['Slack bot token', 'access_token', `xoxb-${random(12, '123456789')}-${word(24)}`],
  [
    'Slack webhook',
    'access_token',
    `https://hooks.slack.com/services/T${random(8, BASE32)}/B${random(8, BASE32)}/${word(24)}`,
  ],
  ['npm token', 'access_token', `npm_${word(36)}`],
  ['PyPI token', 'access_token', `pypi-AgEIcHlwaS5vcmc${word(80)}`],
  ['Docker Hub token', 'access_token', `dckr_pat_${word(27)}`],
  ['Hugging Face token', 'access_token', `hf_${random(34, LETTERS)}`],
  ['DigitalOcean token', 'access_token', `dop_v1_${hex(64)}`],
  ['Shopify token', 'access_token', `shpat_${hex(32)}`],
  ['Databricks token', 'access_token', `dapi${hex(32)}`],
  ['Vault token', 'access_token', `hvs.${word(90)}`],
  ['Telegram bot token', 'access_token', `${random(10, '123456789')}:AA${word(33)}`],
  [
    'JSON web token',
    'access_token',
    `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: 'ada', exp: 1 })}.${word(43)}`,
  ],
  [
    'Authorization header',
    'access_token',
    `curl -H "Authorization: Bearer ${word(40)}" https://api.example.org`,
  ],
  ['RSA private key', 'private_key', pem('RSA PRIVATE KEY')],
  ['OpenSSH private key', 'private_key', pem('OPENSSH PRIVATE KEY')],
  ['PGP private key', 'private_key', pem('PGP PRIVATE KEY BLOCK')],
  ['age secret key', 'private_key', `AGE-SECRET-KEY-1${random(58, BASE32)}`],
  ['Password in a sentence', 'password', 'The password is tr0ub4dor&3, do not tell.'],
  ['Password in a setting', 'password', 'DB_PASSWORD="h4rd-to-guess!"'],
  ['Database address', 'credentials_in_url', `postgres://app:${word(16)}@db.internal:5432/shop`],
  [
    'Address with basic authentication',
    'credentials_in_url',
    `https://deploy:${word(12)}@git.internal/shop.git`,
  ],
  ['Visa card', 'card_number', 'pay with 4111 1111 1111 1111 12/27'],
  ['Mastercard', 'card_number', '5555-5555-5555-4444'],
  ['American Express card', 'card_number', '3782 822463 10005'],
  ['Card without blanks', 'card_number', 'card 6011111111111117.'],
]

const lookAlikes: readonly string[] = [
  'The commit 3f786850e387550fdab836ed7e6dc881de23001b broke the build',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'The request 01a1f83d-50ec-7c3e-8a6c-2f9d4b71e803 failed',
  'The API key is stored in the vault under checkout/api-key',
  'api_key = YOUR_API_KEY_HERE_1234',
  `api_key: $\{OPENAI_API_KEY}`,
  'apiKey: process.env.STRIPE_SECRET_KEY',
  'access_key = os.environ["AWS_SECRET_ACCESS_KEY_1"]',
  'client_secret=<your-client-secret-1>',
  'The password is required',
  'Ada wants a password manager for the team',
  'password: ********',
  'password = getpass("Password 1: ")',
  'DB_PASSWORD=$DB_PASSWORD_2',
  'password: /run/secrets/db_password_1',
  'The password must be changed every 90 days',
  'the passwordHash: argon2id$v=19$m=65536',
  'Authorization: Bearer <token-of-the-session>',
  `Authorization: Bearer $\{token}1234567890123456`,
  'The bearer of this letter may pass',
  'token count: 128000 of 200000',
  'The secret of good bread is time',
  'It is an open secret key to success',
  'ghp_ is the prefix of personal tokens on GitHub',
  'Keys begin with sk-ant-api03- and are 108 characters long',
  'AKIA is how access keys of AWS begin',
  'sk-learn-contrib and sk_live_mode are names of packages',
  'npm_config_registry=https://registry.internal',
  'xoxb- tokens belong to bots, xoxp- tokens to people',
  '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo\n-----END PUBLIC KEY-----',
  '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ6v1vXfVg8Jr0Q2Yk ada@laptop',
  'https://db.internal:5432/shop and postgres://db.internal/shop',
  'mailto:ada@example.org and git@github.com:ada/shop.git',
  'http://user:password@example.org is how the documentation writes it: https://user:your-password@host/',
  'Order 4111 1111 1111 1112 was shipped',
  'Call +49 30 4111 1111 1111 before noon',
  'The timestamp 1764201600000 and the id 1234567890123456',
  'ISBN 978-3-16-148410-0 and IMEI 490154203237518',
  'Version 4.1.1.1.1.1.1 and the amount 4,111,111,111,111,111.00',
  'IBAN DE89 3704 0044 0532 0130 00',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  'pwd: /home/ada/projects/shop',
  'The key of C major has no sharps; the key: 42nd street',
  'eyJ is how the parts of a token begin',
]

/** Sentences that end with a password, the last word of each. */
const sentences: readonly string[] = [
  'The password of the router is Blue-4711x',
  'The password is: Blue-4711x',
  'log in with user ada and password Blue-4711x',
  'my password was Blue-4711x',
  'The password for the guest network in Berlin is still Blue-4711x.',
  'I changed my password to Blue-4711x',
  'The password has been reset to Blue-4711x',
  'the password of the database remains p@sswrd!x',
  'The password is password: Blue-4711x',
  'user ada, password “Blue-4711x”',
  '**Password:** `Blue-4711x`',
  'Wi-Fi password - Blue-4711x',
  'The passcode of the alarm is 4711-blue',
  'pw: Blue-4711x',
  'La contraseña es Verano-2026',
  'La clave del wifi era Verano-2026',
  'Das Passwort lautet Sommer-2026',
  'Das Kennwort für das WLAN ist Sommer-2026',
  'Le mot de passe est Été-2026',
  "le mot de passe de l'équipe : Bleu-4711",
  'La password è Estate-2026',
  'A senha é Verão-2026',
  'Het wachtwoord is Zomer-2026',
  'Lösenordet är Sommar-2026',
  'Salasana on Kesa-2026',
  'Hasło to Lato-2026',
  'Parola este Vara-2026',
  'Şifre: Mavi-4711',
  'Пароль от роутера: Синий-4711',
  'Пароль — Синий-4711',
  'كلمة المرور هي Blue-4711x',
  '密码是Blue4711x。',
  'パスワードは Sakura-2026',
  '비밀번호는 Blue-4711x',
  'passphrase: correct-horse-battery-staple',
]

const withoutSecret: readonly string[] = [
  'The password is case-sensitive',
  'password is well-known',
  'password: case-insensitive',
  'The password is up-to-date',
  'The password is SHA-256 hashed',
  'passwords are bcrypt-hashed and base64-encoded',
  'password is 12-character minimum',
  'The password is 90-days old',
  'The password was changed on 2026-11-28',
  'The password was leaked in 2019',
  'The password of user ada2024 is expired',
  'The password is at https://vault.internal/x2',
  'password: https://vault.internal/entry/7',
  'The password is ada@example.org in lower case',
  'Password reset: see wiki/reset-2024',
  'the steps are in password reset-2024.md',
  'Das Passwort ist allgemein bekannt',
  'Das Passwort ist 8-stellig',
  'La contraseña es obligatoria',
  'La clave del éxito es trabajar 8-horas',
  'Le mot de passe est peut-être périmé',
  'пароль хранится в сейфе',
  '密码是必填的',
]

describe('a password in a sentence', () => {
  test.each(sentences)('%s', sentence => {
    const [found, ...others] = findSecrets(`${sentence} and more`)
    const value = sentence.slice(found?.start, found?.end)
    expect({ kind: found?.kind, others }).toEqual({ kind: 'password', others: [] })
    expect(value).toMatch(/^[^\s“`:是]{6,}$/)
    expect(sentence.slice(found?.end)).toMatch(/^[。”`]?$/)
  })

  test.each(withoutSecret)('none: %s', sentence => expect(findSecrets(sentence)).toEqual([]))
})

test('a private key is found whole, cut off, after others and behind markers that lead nowhere', () => {
  const whole = pem('EC PRIVATE KEY')
  const cut = `-----BEGIN PRIVATE KEY-----\n${word(64)}\n`
  const putty = `PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\n${word(64)}\nPrivate-MAC: ${hex(40)}`
  const text = `-----BEGIN PRIVATE KEY-----“${'-----BEGIN PRIVATE KEY-----'.repeat(3)} ${whole} then ${putty}, ${cut}`
  expect(findSecrets(text).map(({ start, end }) => text.slice(start, end))).toEqual([whole, putty, cut])
})

describe('recognised', () => {
  test.each(forms)('%s', (_, kind, text) => {
    const found = findSecrets(`It says: ${text}`)
    expect(found.map(each => each.kind)).toEqual([kind])
  })

  test('are at least 40 forms', () => expect(forms.length).toBeGreaterThanOrEqual(40))
})

describe('left alone', () => {
  test.each(lookAlikes)('%s', text => expect(findSecrets(text)).toEqual([]))

  test('are at least 40 look-alikes', () => expect(lookAlikes.length).toBeGreaterThanOrEqual(40))
})

test('a mask takes the place of each secret and leaves the rest', () => {
  const text = `Deploy with ghp_${word(36)} and pay with 4111 1111 1111 1111.`
  expect(maskSecrets(text, findSecrets(text))).toBe(
    'Deploy with [masked: access_token] and pay with [masked: card_number].',
  )
})
