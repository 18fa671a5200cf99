import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { type ImportSource, lose, nothingFound, SourceError } from './found.ts'

const named = ['user_id', 'agent_id', 'actor_id', 'role'] as const

const item = z.looseObject({
  id: z.string(),
  memory: z.string(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  categories: z.array(z.string()).nullish(),
  created_at: z.string(),
  updated_at: z.string().nullish(),
  expiration_date: z.string().nullish(),
  run_id: z.string().nullish(),
})

const relation = z.looseObject({ source: z.string(), relationship: z.string() })

const list = z.object({ results: z.array(item), relations: z.array(relation).optional() })

/** What mem0 answers when it is asked for all memories. Whose they are joins their metadata; a run is a session. */
export async function readMem0(path: string): Promise<ImportSource> {
  const found = nothingFound()
  const { data } = z.union([list, z.array(item)]).safeParse(parse(await readFile(path, 'utf8')))
  if (!data)
    throw new SourceError('This is not a list of mem0: {"results": [{"id", "memory", "created_at", …}]}')
  const { results, relations = [] } = Array.isArray(data) ? { results: data } : data
  for (const each of results) {
    found.memories.push({
      key: each.id,
      content: each.memory,
      tags: each.categories ?? [],
      sessionId: each.run_id,
      metadata: { ...each.metadata, ...Object.fromEntries(named.map(name => [name, each[name]])) },
      validUntil: each.expiration_date,
      createdAt: each.created_at,
      ...(each.updated_at ? { updatedAt: each.updated_at } : {}),
    })
  }
  lose(found, 'a relation of its graph, whose ends are no memories', relations.length)
  return found
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SourceError('This is not JSON.', { cause })
  }
}
