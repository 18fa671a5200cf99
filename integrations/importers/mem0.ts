import { type ImportSource, leaveOut, lose } from '../reading/found.ts'
import { isFields, type JsonFields, loseOthers, parse, readJsonFile } from '../reading/json.ts'
import { digest, readEnd, readTextOf, readTime, textsOf } from '../reading/values.ts'

/** What mem0 and its hosted service answer, exports, and the payloads of its vector store. */
const SHAPE = {
  lists: ['results', 'memories', 'data', 'items', 'points', 'relations'],
  isEntry: (value: JsonFields) => 'memory' in value || 'relationship' in value || 'payload' in value,
}

/** What names whose a memory is, in the spelling of Python and of TypeScript. */
const OWNERS = ['user_id', 'agent_id', 'app_id', 'actor_id', 'role'] as const

const camel = (name: string) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())

const TEXTS = ['memory', 'data', 'text', 'content']
const TIMES = ['created_at', 'updated_at', 'expiration_date', 'run_id']
/** A digest and a score say nothing that is not known. */
const KNOWN = [
  ...['id', 'metadata', 'categories', 'hash', 'score', 'name', ...TEXTS],
  ...[...OWNERS, ...TIMES].flatMap(name => [name, camel(name)]),
]

/**
 * What mem0 answers when it is asked for all memories, in Python or in TypeScript. Whose they are joins their metadata; a
 * run is a session.
 */
export async function readMem0(path: string): Promise<ImportSource> {
  const expected = 'memories of mem0, such as {"results": [{"id", "memory", "created_at"}]}'
  const { found, entries, fileTime } = await readJsonFile(path, expected, SHAPE)
  for (const { value, place } of entries) {
    if (isRelation(value)) lose(found, 'a relation of its graph, whose ends are no memories')
    else if (isFields(value)) add(found, flat(value), place, fileTime)
    else leaveOut(found, place, 'is not an object with a `memory`')
  }
  return found
}

/** The vector store keeps the fields in a payload. */
const flat = ({ payload, ...entry }: JsonFields): JsonFields =>
  isFields(payload) ? { ...payload, ...entry } : entry

const isRelation = (value: unknown) =>
  isFields(value) && 'source' in value && ('relationship' in value || 'relation' in value)

function add(found: ImportSource, entry: JsonFields, place: string, fileTime: string) {
  const content = TEXTS.map(name => readTextOf(entry[name])).find(Boolean)
  if (content === undefined) return leaveOut(found, place, whyNoText(entry))
  const read =
    typeof entry.metadata === 'string' ? (parse(entry.metadata)?.value ?? entry.metadata) : entry.metadata
  const metadata = isFields(read) ? read : { metadata: read }
  const either = (name: string) => entry[name] ?? entry[camel(name)]
  loseOthers(found, entry, KNOWN)
  const createdAt = readTime(either('created_at'))
  if (createdAt === undefined)
    lose(found, 'a missing or unreadable time: the time of the file is used instead')
  found.memories.push({
    key: readTextOf(entry.id) ?? `text:${digest(content)}`,
    place,
    content,
    tags: textsOf(entry.categories),
    sessionId: readTextOf(either('run_id')),
    metadata: { ...metadata, ...Object.fromEntries(OWNERS.map(name => [name, either(name)])) },
    validUntil: readEnd(either('expiration_date')),
    createdAt: createdAt ?? fileTime,
    updatedAt: readTime(either('updated_at')),
  })
}

function whyNoText(entry: JsonFields): string {
  if (!('memory' in entry))
    return `has no \`memory\`, only ${Object.keys(entry).slice(0, 5).join(', ') || 'nothing'}`
  if (entry.memory === null) return 'its `memory` is null'
  return typeof entry.memory === 'string' ? 'its `memory` is empty' : 'its `memory` is not a text'
}
