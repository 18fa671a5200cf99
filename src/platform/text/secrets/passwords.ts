import { isPlaceholder } from './placeholders.ts'
import type { Rule } from './rule.ts'

const oneOf = (words: string) => words.trim().split(/\s+/).join('|').replaceAll('_', '[ -]')

/** What a password is called, in the languages that put blanks between words. */
const PASSWORD = `(?:${oneOf(`passwords? passwd pass_?phrases? pass_?codes? pwd passw[oö]rt(?:er|es)? kennw[oö]rt(?:er)? zugangscode
  contrase(?:ñ|n)as? claves? mots?_de_passe parola_d'ordine parol[aeă] senhas? palavra_passe palavras_passe
  wachtwoord(?:en)? lösenord(?:et)? adgangskoden? passord(?:et)? salasana(?:ni)? has[łl]o hesl[oa] [şs]ifre(?:si|niz|m)? jelsz[óo]
  парол(?:ь|я|ю|ем|и) κωδικός סיסמה הסיסמה كلمة_المرور كلمة_السر`)}|(?<![\\p{L}\\p{N}])(?:pw|psw))`
/** What it belongs to may stand before its value: “of the router”. */
const OF = `(?:\\s(?:${oneOf(`of for to on at in from von vom für zum zur des der am im de del de_la du des da do das dos della dello dell' dei d'
  pour para per van voor till för til for od do ke для от к на в of`)})\\s[^.!?;:：=\\n"]{1,60}?)?`
const IS =
  oneOf(`is are was were remains became becomes este ist lautet lautete war sind bleibt est était sera es era será fue son è era sarà
  é foi são är var er on oli to jest było je bylo это был будет была هي هو είναι olan`)
const STILL =
  oneOf(`now still always currently again once jetzt nun noch immer weiterhin ahora siempre todavía maintenant désormais toujours
  encore adesso ora sempre agora sempre nu теперь сейчас`)
const SET = '(?:been\\s)?(?:set|changed|reset|updated|rotated)\\s(?:back\\s)?to'
const SIGN = '(?::=?|：|=>?|→|->|—|–)'
const OPENING = '["\'`*_“„«(\\[]{0,3}'
const CLOSING = '["\'`*_”“»)\\]]{0,3}'
const VALUE = '(?<value>[^\\s"\'`<>,;“”„«»。，、；]{6,200})'
/** The end of a sentence, of a bracket or of Markdown can follow a password. */
const trailing = /[.!?:)\]…*]{1,200}$/

const after = (name: string, joined: string) =>
  new RegExp(`${name}${CLOSING}${joined}${OPENING}${VALUE}`, 'giu')

/** Passwords next to a word that says that they are one: in settings, code and sentences. */
export const passwords: readonly Rule[] = [
  {
    kind: 'password',
    pattern: after(PASSWORD, `${OF}\\s{0,3}${SIGN}[*_]{0,3}\\s{0,3}`),
    holds: isAssigned,
  },
  {
    kind: 'password',
    pattern: after(
      PASSWORD,
      `${OF}\\s{1,3}(?:(?:${IS})(?:\\s(?:${STILL}))?(?:\\s${SET})?|(?:has|had)\\s${SET})\\s{0,2}${SIGN}?\\s{0,3}`,
    ),
    holds: isSaid,
  },
  { kind: 'password', pattern: after(PASSWORD, '\\s{1,3}(?:-\\s{1,3})?'), holds: isSaid },
  {
    kind: 'password',
    pattern: after(
      `(?:set|chang|updat|rotat)\\p{L}{0,4}\\s(?:\\p{L}{1,12}\\s){0,3}?${PASSWORD}`,
      `${OF}\\sto\\s{1,3}`,
    ),
    holds: isSaid,
  },
  {
    kind: 'password',
    pattern:
      /(?:密[码碼]|口令|パスワード|暗証番号|비밀번호|암호|รหัสผ่าน)[\p{L}\p{M}\s]{0,12}?[\s:：=是為为は는은]\s{0,3}(?<value>[!-~]{6,200})/gu,
    holds: isSaid,
  },
]

/** Words of a sentence that have a digit: how a password is stored, how long it is, how old. */
const DESCRIPTION =
  /^(?:\d{1,3}-\p{Ll}{1,40}|\d{1,9}(?:\p{L}{1,3}|%)|(?:sha|md|base|utf|ascii|argon|aes|pbkdf|bcrypt|scrypt|rsa|hmac|iso|rfc|v|version|web|oauth|office|microsoft|windows)[-_ ]?\d.*|\d{4}-\d\d-\d\d.*|[\d.:/-]+)$/iu
const ADDRESS =
  /[a-z]:\/\/|^[\w.+-]{1,64}@[\w-]{1,63}\.\w|^[\w-]{1,100}\.(?:md|txt|json|ya?ml|ts|js|py|html?|pdf|env|go|rs|java)$/i
const COMPOUND = /^\p{L}{1,40}(?:[-'’/.]\p{L}{1,40}){1,2}$/u

const canBe = (value: string) =>
  value.length >= 6 && !isPlaceholder(value) && !ADDRESS.test(value) && !COMPOUND.test(value)

/** A value after a colon or an equals sign has a digit or a sign; two words with a hyphen are a word. */
function isAssigned(written: string): boolean {
  const value = written.replace(trailing, '')
  return canBe(value) && /[^\p{L}]/u.test(value)
}

/** In a sentence any word can come next. A password mixes letters and digits, or has signs that no word has. */
function isSaid(written: string): boolean {
  const value = written.replace(trailing, '')
  if (!canBe(value) || DESCRIPTION.test(value)) return false
  return (/\p{L}/u.test(value) && /\p{N}/u.test(value)) || /\p{L}[@#$%&!*+=^~|\\]\S/u.test(value)
}
