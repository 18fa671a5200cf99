import {
  type Damage,
  type FoundTurn,
  type JsonObject,
  listFrom,
  objectFrom,
  textFrom,
  textOfParts,
  timeFrom,
} from './reading.ts'

type Read = { turns: FoundTurn[]; damaged: Damage[] }

/** The export of ChatGPT: conversations as trees, of which the branch that was shown last is read. */
export function readChatGpt(conversations: readonly unknown[]): Read {
  return together(conversations, (conversation, place) => {
    const session = textFrom(conversation.conversation_id) ?? textFrom(conversation.id)
    const mapping = objectFrom(conversation.mapping)
    if (session === undefined) return damagedAt(place, 'has no `conversation_id`')
    const path = branchOf(mapping, textFrom(conversation.current_node))
    if (path === undefined)
      return damagedAt(`${place}.mapping`, 'does not lead from `current_node` to its root')
    let last = timeFrom(conversation.create_time)
    return path.flatMap((node, at): (FoundTurn | Damage)[] => {
      const message = objectFrom(node.message)
      const { role } = objectFrom(message.author)
      const { content_type: type, parts } = objectFrom(message.content)
      const text = textFrom(
        listFrom(parts)
          .flatMap(part => textFrom(part) ?? [])
          .join('\n\n'),
      )
      const isTurn =
        (role === 'user' || role === 'assistant') && (type === 'text' || type === 'multimodal_text')
      if (!isTurn || text === undefined || objectFrom(message.metadata).is_visually_hidden_from_conversation)
        return []
      // Some messages have no time of their own: they follow the one before.
      last = timeFrom(message.create_time) ?? (last && new Date(Date.parse(last) + 1).toISOString())
      return last
        ? [{ session, speaker: role, text, time: last }]
        : [damage(`${place}.mapping, message ${at}`, 'has no time')]
    })
  })
}

function branchOf(mapping: JsonObject, current: string | undefined): JsonObject[] | undefined {
  const last =
    current ?? Object.keys(mapping).findLast(id => listFrom(objectFrom(mapping[id]).children).length === 0)
  const path: JsonObject[] = []
  const seen = new Set<string>()
  for (let id = last; id !== undefined; id = textFrom(objectFrom(mapping[id]).parent)) {
    if (seen.has(id) || !(id in mapping)) return undefined
    seen.add(id)
    path.unshift(objectFrom(mapping[id]))
  }
  return path
}

/** The export of Claude: conversations with their messages in order. */
export function readClaude(conversations: readonly unknown[]): Read {
  return together(conversations, (conversation, place) => {
    const session = textFrom(conversation.uuid)
    if (session === undefined) return damagedAt(place, 'has no `uuid`')
    return listFrom(conversation.chat_messages).flatMap((each, at): (FoundTurn | Damage)[] => {
      const message = objectFrom(each)
      const text = textOfParts(message.content, ['text']) ?? textFrom(message.text)
      if (text === undefined) return []
      const [sender, time] = [textFrom(message.sender), timeFrom(message.created_at)]
      if (sender === undefined || time === undefined)
        return [damage(`${place}.chat_messages[${at}]`, `has no \`${sender ? 'created_at' : 'sender'}\``)]
      return [{ session, speaker: sender === 'human' ? 'user' : sender, text, time }]
    })
  })
}

/** Gemini's part of “My Activity”: a prompt and its answer an entry. It names no conversations, so a day is a session. */
export function readGemini(entries: readonly unknown[]): Read {
  return together(entries, (entry, place) => {
    const prompt = /^(?:Prompted|Asked|Said)\s+([\s\S]+)$/.exec(String(entry.title ?? ''))?.[1]
    if (prompt === undefined) return []
    const time = timeFrom(entry.time)
    if (time === undefined) return damagedAt(place, 'has no `time`')
    const session = `gemini-${time.slice(0, 10)}`
    const answer = textFrom(
      listFrom(entry.safeHtmlItem)
        .map(item => textOfHtml(String(objectFrom(item).html ?? '')))
        .join('\n\n'),
    )
    const answered = new Date(Date.parse(time) + 1).toISOString()
    return [
      { session, speaker: 'user', text: prompt, time },
      ...(answer === undefined ? [] : [{ session, speaker: 'assistant', text: answer, time: answered }]),
    ]
  })
}

function together(
  items: readonly unknown[],
  read: (item: JsonObject, place: string) => (FoundTurn | Damage)[],
): Read {
  const all = items.flatMap((item, at) => read(objectFrom(item), `entry ${at + 1}`))
  return {
    turns: all.filter(each => 'text' in each),
    damaged: all.filter(each => 'reason' in each),
  }
}

const damage = (place: string, reason: string): Damage => ({ place, reason })
const damagedAt = (place: string, reason: string): Damage[] => [damage(place, reason)]

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }

/** The text of simple HTML: paragraphs and items in lines of their own. */
const textOfHtml = (html: string): string =>
  html
    .replaceAll(/<(?:br|\/p|\/li|\/h\d|\/tr|\/div|\/pre)\b[^>]{0,200}>/gi, '\n')
    .replaceAll(/<[^<>]{0,2000}>/g, '')
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, (all, decimal, hex, name) => {
      const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined
      return code === undefined
        ? (ENTITIES[name] ?? all)
        : code <= 0x10ffff
          ? String.fromCodePoint(code)
          : all
    })
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
