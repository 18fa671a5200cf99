import { readFile, stat } from 'node:fs/promises'
import { z } from 'zod'
import { type ImportSource, lose, nothingFound, SourceError } from './found.ts'

const item = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('entity'),
    name: z.string(),
    entityType: z.string(),
    observations: z.array(z.string()),
  }),
  z.object({ type: z.literal('relation'), from: z.string(), to: z.string(), relationType: z.string() }),
])

/** The JSONL file of the reference MCP memory server: an entity with its observations becomes one memory. */
export async function readServerMemory(path: string): Promise<ImportSource> {
  const found = nothingFound()
  const createdAt = (await stat(path)).mtime.toISOString()
  const lines = (await readFile(path, 'utf8')).split('\n')
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const { data } = item.safeParse(parse(line, index))
    if (!data) lose(found, 'a line that is neither an entity nor a relation')
    else if (data.type === 'relation')
      found.connections.push({ source: data.from, target: data.to, name: data.relationType, createdAt })
    else
      found.memories.push({
        key: data.name,
        content: [`${data.name} (${data.entityType})`, ...data.observations].join('\n'),
        tags: [],
        metadata: { entity: data.name, entity_type: data.entityType },
        createdAt,
      })
  }
  lose(
    found,
    'when an entity was made, which is not in the file: the time of the file stands for it',
    found.memories.length,
  )
  return found
}

function parse(line: string, index: number): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new SourceError(`Line ${index + 1} is not JSON.`, { cause })
  }
}
