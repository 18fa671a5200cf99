import { itemsIn, type JsonFields, objectOf } from '../reading/json.ts'
import { readTextOf, readTime } from '../reading/values.ts'
import { joined, type ReadEntries, textsOfParts, unknownContent } from './reading.ts'

const SAID = ['text', 'voice_note']
const SILENT = [
  ...SAID,
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'token_budget',
  'image',
  'flag',
]

/** The export of Claude: conversations with their messages in order. What was pasted or uploaded as text belongs to its message. */
export const readClaude: ReadEntries = conversations =>
  conversations.flatMap(({ value: conversation, place }) => {
    const session = readTextOf(conversation.uuid)
    if (session === undefined) return [{ place, reason: 'has no `uuid`' }]
    return itemsIn(conversation.chat_messages).flatMap((each, at): ReturnType<ReadEntries> => {
      const message = objectOf(each)
      const where = `${place}.chat_messages[${at}]`
      const types = itemsIn(message.content).map(part => objectOf(part).type)
      const text = joined([textOf(message, types), ...attachedTo(message)])
      if (text === undefined) return unknownContent(where, types, SILENT)
      const [sender, time] = [readTextOf(message.sender), readTime(message.created_at)]
      if (sender === undefined || time === undefined)
        return [{ place: where, reason: `has no \`${sender ? 'created_at' : 'sender'}\`` }]
      return [{ session, speaker: sender === 'human' ? 'user' : sender, text, time }]
    })
  })

/** Older exports have a text alone. Where tools are, newer ones have a placeholder in it. */
function textOf({ content, text }: JsonFields, types: readonly unknown[]): string | undefined {
  const said = joined(textsOfParts(content, SAID))
  return said ?? (types.every(type => type === 'text') ? readTextOf(text) : undefined)
}

const attachedTo = ({ attachments }: JsonFields) =>
  itemsIn(attachments).map(each => readTextOf(objectOf(each).extracted_content))
