import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { type ImportSource, lose, nothingFound, SourceError } from './found.ts'

const named = ['user_id', 'agent_id', 'run_id', 'actor_id'] as const

const item = z.looseObject({
  id: z.string(),
  memory: z.string(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  categories: z.array(z.string()).nullish(),
  created_at: z.string(),
  updated_at: z.string().nullish(),
  expiration_date: z.string().nullish(),
})

const relation = z.looseObject({ source: z.string(), relationship: z.string() })

const list = z.object({ results: z.array(item), relations: z.array(relation).optional() })

/** What mem0 answers when it is asked for all memories. Whose they are, and plain metadata, become tags. */
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
      tags: tagsOf(found, each),
      createdAt: each.created_at,
      ...(each.updated_at ? { updatedAt: each.updated_at } : {}),
    })
    if (each.expiration_date) lose(found, 'an expiration date')
    if (each.role !== undefined) lose(found, 'the role that spoke')
  }
  lose(found, 'a relation of its graph, whose ends are no memories', relations.length)
  return found
}

function tagsOf(found: ImportSource, { metadata, categories, ...each }: z.infer<typeof item>): string[] {
  const tags = named.flatMap(name =>
    typeof each[name] === 'string' ? [`${name.slice(0, -3)}:${each[name]}`] : [],
  )
  for (const [name, value] of Object.entries(metadata ?? {}))
    if (['string', 'number', 'boolean'].includes(typeof value)) tags.push(`${name}:${value}`)
    else if (value !== null) lose(found, `metadata “${name}”, which is no plain value`)
  return [...tags, ...(categories ?? [])]
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SourceError('This is not JSON.', { cause })
  }
}
