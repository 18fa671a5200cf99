import neo4j, { type Driver, Neo4jError } from 'neo4j-driver'
import {
  type ImportSource,
  leaveOut,
  lose,
  nothingFound,
  type SourceAccess,
  SourceError,
} from '../reading/found.ts'
import { readTime } from '../reading/values.ts'

type Row = Record<string, string | null> & { tags: string[] }

/**
 * The graph of Graphiti in its Neo4j, which is only read: entities, episodes, communities and facts become memories.
 * A fact refers to the two entities that it joins, and is derived from its episodes; one that has expired is archived.
 */
export async function readGraphiti(
  uri: string,
  { username, secret, database, group }: SourceAccess,
): Promise<ImportSource> {
  const driver = neo4j.driver(uri, neo4j.auth.basic(username, secret), { disableLosslessIntegers: true })
  try {
    return await readGroup(driver, database, group)
  } catch (error) {
    throw inWords(error, database)
  } finally {
    await driver.close()
  }
}

/** The options of this command are others than the settings that other commands name. */
function inWords(error: unknown, database: string): unknown {
  if (!(error instanceof Neo4jError)) return error
  if (error.code.startsWith('Neo.ClientError.Security.'))
    return new SourceError(
      `Neo4j refuses the user: give --source-user and --source-secret. It says: ${error.message}`,
    )
  if (error.code.startsWith('Neo.ClientError.Database.'))
    return new SourceError(`There is no database “${database}” in that Neo4j: give --database.`)
  return error
}

async function readGroup(driver: Driver, database: string, group: string | undefined): Promise<ImportSource> {
  const found = nothingFound('nodes of Graphiti in this database, and in this group')
  const read = async (text: string) =>
    (
      await driver.executeQuery(text, { group: group ?? null }, { database, routing: neo4j.routing.READ })
    ).records.map(record => record.toObject() as Row)
  const nodes = await read(`MATCH (n) WHERE (n:Entity OR n:Episodic OR n:Community OR n:Saga)
      AND n.uuid IS NOT NULL AND ($group IS NULL OR n.group_id = $group)
    RETURN n.uuid AS key, labels(n) AS tags, n.name AS name, coalesce(n.content, n.summary, '') AS text,
      n.group_id AS group, toString(n.created_at) AS at, n.source_description AS source,
      toString(n.valid_at) AS valid ORDER BY key`)
  const facts = await read(`MATCH (a)-[r:RELATES_TO]->(b) WHERE $group IS NULL OR r.group_id = $group
    RETURN r.uuid AS key, r.name AS name, r.fact AS text, a.uuid AS source, b.uuid AS target, r.group_id AS group,
      a.name AS from, b.name AS to, toString(r.valid_at) AS valid, toString(r.invalid_at) AS invalid,
      toString(r.created_at) AS at, toString(coalesce(r.expired_at, r.invalid_at)) AS ended,
      coalesce(r.episodes, []) AS tags ORDER BY key`)
  const edges = await read(`MATCH (a)-[r:MENTIONS|HAS_MEMBER|HAS_EPISODE|NEXT_EPISODE]->(b)
      WHERE $group IS NULL OR r.group_id = $group
    RETURN type(r) AS name, a.uuid AS source, b.uuid AS target, toString(r.created_at) AS at, [] AS tags
    ORDER BY source, target`)
  for (const row of nodes) addNode(found, row)
  for (const row of facts) addFact(found, row)
  for (const edge of edges) addEdge(found, edge)
  lose(found, 'embeddings of another model: they are computed again', nodes.length + facts.length)
  return found
}

const EPOCH = '1970-01-01T00:00:00.000Z'

const madeAt = (at: string | null | undefined) => readTime(at) ?? EPOCH

function addNode(found: ImportSource, { key, tags, name, text, group, at, source, valid }: Row) {
  found.memories.push({
    key: key ?? '',
    place: `node ${key}`,
    content: [name, text].filter(Boolean).join('\n'),
    tags: tags.map(each => each.toLowerCase()),
    source,
    metadata: { group_id: group, reference_time: valid },
    createdAt: madeAt(at),
  })
}

function addFact(found: ImportSource, { key, tags, name, text, source, target, group, at, ...fact }: Row) {
  const place = `fact ${key ?? `from “${fact.from}” to “${fact.to}”`}`
  if (!key) return leaveOut(found, place, 'has no uuid')
  const createdAt = madeAt(at)
  found.memories.push({
    key,
    place,
    content: text || (name ?? ''),
    tags: ['fact', ...(name ? [name] : [])],
    metadata: { group_id: group, source_entity: fact.from, target_entity: fact.to },
    validFrom: readTime(fact.valid),
    validUntil: readTime(fact.invalid),
    createdAt,
    archivedAt: readTime(fact.ended),
  })
  for (const end of [source, target])
    found.connections.push({ source: key, target: end ?? '', place, name: 'references', createdAt })
  for (const episode of tags)
    found.connections.push({ source: key, target: episode, place, name: 'derived_from', createdAt })
}

/** A community has its members; a part belongs to its whole. */
function addEdge(found: ImportSource, { name, source, target, at }: Row) {
  const [from, to] = name === 'HAS_MEMBER' ? [target, source] : [source, target]
  found.connections.push({
    source: from ?? '',
    target: to ?? '',
    place: `${name} from ${source} to ${target}`,
    name: { MENTIONS: 'references', HAS_MEMBER: 'part_of' }[name ?? ''] ?? name ?? '',
    createdAt: madeAt(at),
  })
}
