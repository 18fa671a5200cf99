import { itemsIn, type JsonFields, objectOf, parse } from '../reading/json.ts'
import { readTextOf, readTime } from '../reading/values.ts'
import { isUserOrAssistant, joined, type ReadEntries, unknownContent } from './reading.ts'

/** The export of ChatGPT: conversations as trees, of which the branch that was shown last is read. */
export const readChatGpt: ReadEntries = conversations =>
  conversations.flatMap(({ value: conversation, place }) => {
    const session = readTextOf(conversation.conversation_id) ?? readTextOf(conversation.id)
    if (session === undefined) return [{ place, reason: 'has no `conversation_id`' }]
    const path = branchOf(objectOf(conversation.mapping), readTextOf(conversation.current_node))
    if (path === undefined)
      return [{ place: `${place}.mapping`, reason: 'does not lead from `current_node` to its root' }]
    let last = readTime(conversation.create_time)
    return path.flatMap((node, at): ReturnType<ReadEntries> => {
      const message = objectOf(node.message)
      const where = `${place}.mapping, message ${at}`
      const { role } = objectOf(message.author)
      if (!isUserOrAssistant(role) || isHidden(message)) return []
      const { text, unknown } = contentOf(message, where)
      if (text === undefined) return unknown
      // Some messages have no time of their own: they follow the one before.
      last = readTime(message.create_time) ?? (last && new Date(Date.parse(last) + 1).toISOString())
      return [last ? { session, speaker: role, text, time: last } : { place: where, reason: 'has no time' }]
    })
  })

function branchOf(mapping: JsonFields, current: string | undefined): JsonFields[] | undefined {
  const last =
    current ?? Object.keys(mapping).findLast(id => itemsIn(objectOf(mapping[id]).children).length === 0)
  const path: JsonFields[] = []
  const seen = new Set<string>()
  for (let id = last; id !== undefined; id = readTextOf(objectOf(mapping[id]).parent)) {
    if (seen.has(id) || !(id in mapping)) return undefined
    seen.add(id)
    path.unshift(objectOf(mapping[id]))
  }
  return path
}

/** What the reader of a conversation does not see: notes of the system, and calls of tools. */
const isHidden = ({ metadata, recipient }: JsonFields) =>
  objectOf(metadata).is_visually_hidden_from_conversation === true || (recipient ?? 'all') !== 'all'

const SILENT = [
  ...['text', 'multimodal_text', 'code', 'execution_output', 'computer_output', 'system_error'],
  ...['thoughts', 'reasoning_recap', 'user_editable_context', 'model_editable_context'],
  ...['tether_browsing_display', 'tether_browsing_code', 'tether_quote', 'sonic_webpage'],
  ...['image_asset_pointer', 'audio_asset_pointer', 'video_container_asset_pointer', 'audio_transcription'],
  'real_time_user_audio_video_asset_pointer',
]

function contentOf({ content }: JsonFields, place: string) {
  const { content_type: type, parts } = objectOf(content)
  const isText = type === 'text' || type === 'multimodal_text'
  const said = isText ? itemsIn(parts) : []
  const text = joined(
    said.map(part => (typeof part === 'string' ? part : spokenIn(objectOf(part)))).map(withoutMarks),
  )
  const types = [type, ...said.map(part => objectOf(part).content_type)]
  return { text, unknown: unknownContent(place, types, SILENT) }
}

const spokenIn = ({ content_type, text }: JsonFields) =>
  content_type === 'audio_transcription' || content_type === 'text' ? (readTextOf(text) ?? '') : ''

const MARK = /\uE200([^\uE200-\uE202]*)((?:\uE202[^\uE200-\uE202]*)*)\uE201/g
const CUT_MARK = /\uE200[^\s\uE200-\uE206]*(?:\uE202[^\s\uE200-\uE206]*)*|[\uE200-\uE206]/g
const OLDER_MARK = /【[^【】\n]{0,200}†[^【】\n]{0,200}】| ?:contentReference\[oaicite:\d+\]\{index=\d+\}/g

/** A text without its citations. What a mark shows as a word stays. */
const withoutMarks = (text: string): string =>
  text
    .replaceAll(MARK, (_, kind: string, rest: string) => shownBy(kind, rest.split('\uE202').slice(1)))
    .replaceAll(CUT_MARK, '')
    .replaceAll(OLDER_MARK, '')

function shownBy(kind: string, [first = '']: readonly string[]): string {
  if (kind === 'url') return first
  if (kind !== 'entity') return ''
  const fields = parse(first)
  return fields ? (readTextOf(itemsIn(fields.value)[1]) ?? '') : first
}
