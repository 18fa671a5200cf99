/** Words next to a time, in the languages in which times are read. */

const oneOf = (words: string) => `(?:${words.trim().split(/\s+/).join('|').replaceAll('_', '\\s+')})`

/** The last time a thing was, before its name and after it. */
export const LAST =
  oneOf(`last past previous letzte[nmrs]? vorige[nmrs]? vergangene[nmrs]? derniers? dernières? últim[oa] scors[oa] afgelopen
  förra sidste siste forrige viime geçen прошл(?:ый|ую|ое|ым|ой|ом|ая) прошедш(?:ий|ую|ее|им|ей)`)
export const LAST_AFTER = oneOf('derniers? dernières? passée?s? pasad[oa] passad[oa] scors[oa]')

export const NEXT = oneOf('next coming nächste[nmrs]? kommende[nmrs]? volgende nästa следующ(?:ий|ую|ее|ая)')
/** So many units until now, before their number or, in French, behind it. */
export const FEW = oneOf(
  'last past letzten vergangenen derniers dernières últim[oa]s ultim[ie] laatste afgelopen последни[ех] senaste',
)
export const FEW_BEHIND = oneOf('derniers dernières')
export const WEEKEND = oneOf(
  'week-?end wochenende fin_de_semana fim_de_semana fine_settimana helg(?:en)? выходны[ех]',
)

/** Words that say which part of a month or year is meant. */
const PART = oneOf(
  `early late mid the_end_of the_middle_of the_beginning_of anfang mitte ende début fin principios_de finales_de inizio fine begin eind`,
)

/** A year or a month on its own is one after such a word: a port or a price is not. */
export const IN =
  `${oneOf(`in im i em en nel w в во of during since from before after until till by seit ab vor nach bis
  depuis desde dal sinds avant après antes_de antes_do después_de depois_de prima_del dopo hasta até fino_a tot
  jusqu'en jusqu'à jusqu'au voor na sedan siden före før efter etter с до после`)}\\s+(?:(?:dem\\s+)?(?:(?:the_)?year|jahr|jahre|år|anno|ano|año)\\s+)?(?:${PART}[\\s-]+)?`.replaceAll(
    '_',
    '\\s+',
  )

/** A weekday on its own is that one after such a word. */
export const ON = oneOf('on this until by am auf den le el il op på em na no в во на')

/** The first month of each season in the northern half of the earth. */
const seasons: readonly (readonly [month: number, names: string])[] = [
  [
    2,
    'spring frühling frühjahr printemps primavera lente voorjaar vår våren forår foråret весна весны весной весну',
  ],
  [5, 'summer sommer sommeren sommar sommaren été verano verão estate zomer лето лета летом'],
  [
    8,
    'autumn fall herbst automne otoño outono autunno herfst höst hösten efterår efteråret осень осени осенью',
  ],
  [11, 'winter hiver invierno inverno vinter vintern vinteren зима зимы зимой зиму'],
]
export const seasonOf: ReadonlyMap<string, number> = new Map(
  seasons.flatMap(([month, names]) => names.split(' ').map(name => [name, month] as const)),
)

/** The tens of years, as they are written out. */
const tens: readonly (readonly [ten: number, names: string])[] = [
  [1950, 'fifties fünfziger cinquante cincuenta cinquenta cinquanta vijftig'],
  [1960, 'sixties sechziger soixante sesenta sessenta sessanta zestig'],
  [1970, 'seventies siebziger soixante-dix setenta settanta zeventig'],
  [1980, 'eighties achtziger quatre-vingts? ochenta oitenta ottanta tachtig'],
  [1990, 'nineties neunziger quatre-vingt-dix noventa novanta negentig'],
]
const tenOf = new Map(
  tens.flatMap(([ten, names]) =>
    names.split(' ').flatMap(name => [[name, ten] as const, [name.replace('s?', ''), ten] as const]),
  ),
)
const ten = `(?<decade>(?:19|20)\\d0|[5-9]0|${[...tenOf.keys()].sort((a, b) => b.length - a.length).join('|')})`

/** What names ten years: “the 1990s”, “die 90er Jahre”, “años noventa”, “90年代”. */
export const DECADES = [
  `(?<decade>(?:19|20)\\d0)'?s`,
  `(?<=(?:the|early|late|mid)[\\s-])(?<decade>[5-9]0|${[...tenOf.keys()].filter(name => /ies$/.test(name)).join('|')})(?:'?s)?`,
  `${ten}(?:er)?n?\\s*-?\\s*jahren?`,
  `(?<=(?:den|die|der)\\s)${ten}(?:er)?n?(?=$|[^\\p{L}\\p{N}])`,
  `(?:années|años|anos|anni|jaren)\\s+'?${ten}`,
  '(?<decade>(?:19|20)\\d0|[5-9]0)-?[ех]\\s+год(?:ы|ов|ах)',
  '(?<decade>(?:19|20)\\d0|[5-9]0)-tal(?:et|en)?',
]
export const DECADES_UNSPACED = '(?<decade>(?:19|20)\\d0|[5-9]0)\\s*(?:年代|년대)'

/** The first year of a decade, which two digits leave to the twentieth century. */
export function decadeOf(text: string): number {
  const number = Number(text)
  return Number.isNaN(number) ? (tenOf.get(text) ?? 0) : number < 100 ? 1900 + number : number
}

/** What opens a span of two times, and what may stand between them. */
const THE = `(?:${PART}\\s+|(?:the|dem|den|der|le|la|el|il|o|a)\\s+)?`
const BOTH = oneOf('between zwischen entre tra fra tussen между mellan mellem mellom')
const FROM = oneOf('from von vom de du da dal dalla desde depuis van с со från fra')
const AND = oneOf('and und et y e en и och og')
export const TO = oneOf(
  "to until till through thru bis bis_zum à au jusqu'à jusqu'en a al hasta até ao fino_a tot по до til",
)
export const SPAN_MARK = '(?:[-–—~～〜]|から|到|至|부터)'

export const opensBoth = new RegExp(`(?<![\\p{L}\\p{N}])${BOTH}\\s+${THE}$`, 'u')
export const opensFrom = new RegExp(`(?<![\\p{L}\\p{N}])${FROM}\\s+${THE}$`, 'u')
export const joinsBoth = new RegExp(`^(?:\\s+${AND}\\s+${THE}|\\s*${SPAN_MARK}\\s*)$`, 'u')
export const joinsFrom = new RegExp(`^(?:\\s+${TO}\\s+${THE}|\\s*${SPAN_MARK}\\s*)$`, 'u')

const before = (words: string) => new RegExp(`(?<![\\p{L}\\p{N}])${oneOf(words)}\\s*${THE}$`, 'u')
export const SINCE = before('since seit ab depuis desde dal dalla sinds sedan siden с')
export const BEFORE = before('before avant antes_de antes_do prima_del voor vor före før до')
export const UNTIL = before("until till bis bis_zum jusqu'à jusqu'au jusqu'en hasta até fino_a fino_al tot")
export const AFTER = before('after nach après después_de depois_de dopo efter etter после')
export const AFTER_IN_DUTCH = before('na')
