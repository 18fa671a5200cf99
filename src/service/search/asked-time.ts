import type { QueryReading } from '../../contract/explanation.ts'
import { timeIn } from '../../platform/text/times/index.ts'
import type { NamedTime } from '../../platform/text/times/span.ts'
import { languageIn } from '../../platform/text/words.ts'
import { standingAlone, stopWordsOf } from './words.ts'

/** The time that a query names, whether it asks for nothing else, and whether it asks for what is current. */
export type AskedTime = {
  readonly named: NamedTime | undefined
  readonly alone: boolean
  readonly current: boolean
}

/** Words that ask for what holds in the present, in the languages whose stop words are known. */
const currentWords = new Set(
  `now current currently latest newest nowadays recent recently nuværende seneste huidige huidig momenteel laatste recente
  nykyinen nykyisin uusin viimeisin actuel actuelle actuellement dernier dernière récent récente aktuell aktuelle aktuellen
  aktueller aktuelles derzeit derzeitige neueste neuesten jelenlegi legújabb attuale attualmente ultimo ultima recente
  nåværende siste nyeste atual atualmente último última recente actual actualmente último última reciente текущий текущая
  сейчас последний последняя актуальный nuvarande senaste 現在 最新 目前 现在 当前 현재 최신`.split(/\s+/),
)

/** Relative times count from `now`. */
export function timeOfQuery(query: string, now: number): AskedTime {
  const words = standingAlone(query)
  const named = timeIn(query, now, languageIn(query))
  return {
    named,
    alone: named !== undefined && isEmpty(query, named),
    current: !named && words.some(word => currentWords.has(word)),
  }
}

/** What happens is asked for by a word that no answer needs. */
const happening =
  /^(?:happen(?:ed|ing|s)?|passiert|geschehen|geschah|passé|pasó|aconteceu|successo|gebeurd|произошло)$/u

/** Whether a query asks for nothing but what there was at the time that it names. */
function isEmpty(query: string, { at, text }: NamedTime): boolean {
  const rest = standingAlone(`${query.slice(0, at)} ${query.slice(at + text.length)}`)
  const isStopWord = stopWordsOf(query)
  return rest.every(word => word === '' || isStopWord(word) || happening.test(word))
}

/** What `explain` shows of it. */
export const toTimeReading = ({ named, current }: AskedTime): Pick<QueryReading, 'time' | 'current'> => ({
  time: named ? { text: named.text, from: toText(named.from), until: toText(named.until) } : null,
  current,
})

const toText = (time: number | null) => (time === null ? null : new Date(time).toISOString())
