import type { Client } from '../../src/client.ts'
import type { Input } from '../../src/contract/index.ts'
import type { Memory } from '../../src/contract/memory.ts'
import { someMemory } from './service.ts'

/** Creates memories in batches and answers them in the order given; a text alone is a content. */
export async function remember(
  client: Client,
  fields: readonly (string | Partial<Input<'createMemory'>>)[],
): Promise<Memory[]> {
  const rows = fields.map(each => someMemory(typeof each === 'string' ? { content: each } : each))
  const created: Memory[] = []
  for (let at = 0; at < rows.length; at += 500) {
    const { memories } = await client.createMemories({ memories: rows.slice(at, at + 500) })
    created.push(...memories)
  }
  return created
}

/** The same, answered by their ids. */
export async function rememberIds<Fields extends readonly Parameters<typeof remember>[1][number][] | []>(
  client: Client,
  fields: Fields,
): Promise<{ -readonly [At in keyof Fields]: string }> {
  const memories = await remember(client, fields)
  return memories.map(idOf) as { -readonly [At in keyof Fields]: string }
}

/** As many contents: `note 0`, `note 1`, … */
export const numbered = (count: number, word = 'note') =>
  Array.from({ length: count }, (_, at) => `${word} ${at}`)

export const idOf = ({ id }: { id: string }) => id

export const byId = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
