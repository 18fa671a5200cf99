import { itemsIn, type JsonFields, objectOf } from '../reading/json.ts'
import { readTextOf, readTime } from '../reading/values.ts'
import { textOfHtml } from './html.ts'
import { joined, type ReadEntries, type TranscriptEntry } from './reading.ts'

export const isOfGemini = ({ header, products }: JsonFields): boolean =>
  /Gemini|Bard/.test([header, ...itemsIn(products)].join(' '))

/**
 * Gemini's part of “My Activity”: a prompt and its answer an entry, with words of the language of the account before the
 * prompt. It names no conversations, so a day is a session.
 */
export const readGemini: ReadEntries = entries => {
  const introduction = introductionIn(entries)
  return entries.flatMap(({ value: entry, place }): ReturnType<ReadEntries> => {
    if (!isOfGemini(entry) || OTHER.test(titleOf(entry))) return []
    const [answer, time] = [answerOf(entry), readTime(entry.time)]
    const prompt = promptOf(titleOf(entry), introduction) ?? (answer && readTextOf(entry.title))
    if (prompt === undefined)
      return [{ place, reason: `no prompt can be told from “${titleOf(entry).slice(0, 100)}”` }]
    if (time === undefined) return [{ place, reason: 'has no `time`' }]
    const session = `gemini-${time.slice(0, 10)}`
    const answered = new Date(Date.parse(time) + 1).toISOString()
    return [
      { session, speaker: 'user', text: prompt, time },
      ...(answer === undefined ? [] : [{ session, speaker: 'assistant', text: answer, time: answered }]),
    ]
  })
}

/** What English entries begin with that are no prompts. */
const OTHER =
  /^(?:Used|Created|Gave|Selected|Added|Shared|Deleted|Viewed|Visited|Searched|Edited|Pinned|Renamed|Exported|Updated)\s/
const PROMPTED = /^(?:Prompted|Asked|Said|Branched|Answered)(?: with:| Gemini:| Bard:)?\s+([\s\S]+)$/
const NAMES_A_PROMPT = /prompt|プロンプト|프롬프트|промпт|提示/i

/** The prompt behind words that are known, or that stand before prompts of this language. */
function promptOf(title: string, introduction: string | undefined): string | undefined {
  const prompted = PROMPTED.exec(title)?.[1]
  if (prompted !== undefined) return prompted
  const { before, after } = divided(title)
  return before !== undefined && (NAMES_A_PROMPT.test(before) || before === introduction)
    ? readTextOf(after)
    : undefined
}

/** What most of the entries that were answered begin with. */
function introductionIn(entries: readonly TranscriptEntry[]): string | undefined {
  const answered = entries.filter(({ value }) => isOfGemini(value) && answerOf(value) !== undefined)
  const groups = Map.groupBy(answered, ({ value }) => divided(titleOf(value)).before)
  return [...groups].find(([, group]) => 2 * group.length > answered.length)?.[0]
}

/** A title at its first colon. */
function divided(title: string): { before?: string | undefined; after?: string | undefined } {
  const [, before, after] = /^([^:：\n]{1,60})[:：]\s*([\s\S]+)$/.exec(title) ?? []
  return { before: before?.trim(), after }
}

const titleOf = ({ title }: JsonFields) => readTextOf(title)?.trim() ?? ''

const answerOf = ({ safeHtmlItem }: JsonFields) =>
  joined(itemsIn(safeHtmlItem).map(item => textOfHtml(readTextOf(objectOf(item).html) ?? '')))
