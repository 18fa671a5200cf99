import { type ImportSource, leaveOut, lose } from '../reading/found.ts'
import {
  entriesIn,
  isFields,
  type JsonEntry,
  type JsonFields,
  loseOthers,
  parse,
  readJsonFile,
} from '../reading/json.ts'
import { readTextOf, readTime } from '../reading/values.ts'

/** The lists of the answer of `read_graph`, and what a host wraps it in. */
const SHAPE = {
  lists: ['entities', 'relations', 'structuredContent', 'content', 'result', 'graph'],
  isEntry: (value: JsonFields) => 'name' in value || 'from' in value || value.type === 'text',
}

const KNOWN = ['type', 'id', 'name', 'entityType', 'entity_type', 'observations', 'createdAt', 'created_at']

type Entity = { key: string; place: string; type: string; observations: Set<string>; createdAt: unknown }

/**
 * The JSONL file of the reference MCP memory server, or what its tool `read_graph` answers: an entity with its
 * observations becomes one memory, also where it stands there twice.
 */
export async function readServerMemory(path: string): Promise<ImportSource> {
  const expected = 'lines such as {"type": "entity", "name", "entityType", "observations"}'
  const { found, entries, fileTime } = await readJsonFile(path, expected, SHAPE)
  const entities = new Map<string, Entity>()
  for (const entry of entries.flatMap(unwrapped)) {
    const { value, place } = entry
    if (!isFields(value)) leaveOut(found, place, 'is neither an entity nor a relation')
    else if (value.type === 'relation' || 'from' in value) addRelation(found, value, place, fileTime)
    else addEntity(found, entities, value, place)
  }
  for (const entity of entities.values()) addMemory(found, entity, fileTime)
  return found
}

/** What a tool answers is a text in a list of contents: `{"type": "text", "text": "{…}"}`. */
function unwrapped(entry: JsonEntry): JsonEntry[] {
  const { value, place } = entry
  if (!isFields(value) || value.type !== 'text' || typeof value.text !== 'string') return [entry]
  const inner = parse(value.text)
  return inner ? entriesIn(inner.value, `${place}.text`, SHAPE) : [entry]
}

function addRelation(found: ImportSource, relation: JsonFields, place: string, createdAt: string) {
  const [source, target] = [readTextOf(relation.from), readTextOf(relation.to)]
  const name = readTextOf(relation.relationType ?? relation.relation_type ?? relation.label)
  if (!source || !target) return leaveOut(found, place, 'is a relation without `from` or `to`')
  found.connections.push({ source, target, place, name: name ?? 'related_to', createdAt })
}

function addEntity(found: ImportSource, entities: Map<string, Entity>, value: JsonFields, place: string) {
  const key = readTextOf(value.name)
  if (key === undefined && value.type !== 'entity' && value.entityType === undefined)
    return leaveOut(found, place, 'is neither an entity nor a relation')
  if (key === undefined) return leaveOut(found, place, 'is an entity without a `name`')
  loseOthers(found, value, KNOWN)
  const entity = entities.get(key) ?? { key, place, type: '', observations: new Set(), createdAt: undefined }
  entity.type ||= readTextOf(value.entityType ?? value.entity_type) ?? ''
  entity.createdAt ??= value.createdAt ?? value.created_at
  for (const observation of observationsOf(found, value, place)) entity.observations.add(observation)
  entities.set(key, entity)
}

/** A list of texts; older files and other servers have a single text, or objects with the text in them. */
function observationsOf(found: ImportSource, { observations }: JsonFields, place: string): string[] {
  if (observations === undefined || observations === null) return []
  const items = Array.isArray(observations) ? observations : [observations]
  return items.flatMap((item, at) => {
    const text = readTextOf(isFields(item) ? (item.content ?? item.text ?? item.observation) : item)
    if (text === undefined && item !== '') leaveOut(found, `${place}, observations[${at}]`, 'is not a text')
    return text ?? []
  })
}

function addMemory(
  found: ImportSource,
  { key, place, type, observations, createdAt }: Entity,
  fileTime: string,
) {
  const time = readTime(createdAt)
  if (time === undefined)
    lose(found, 'when an entity was made, which is not in the file: the time of the file is used instead')
  found.memories.push({
    key,
    place,
    content: [type ? `${key} (${type})` : key, ...observations].join('\n'),
    tags: [],
    metadata: { entity: key, entity_type: type },
    createdAt: time ?? fileTime,
  })
}
