import { z } from 'zod'
import { ProviderFault, UNREADABLE } from './faults.ts'

const answer = z.object({
  data: z.array(z.object({ index: z.int().nonnegative().optional(), embedding: z.unknown() })),
})

/**
 * The vectors of an answer in the order of the texts, not yet checked.
 * @throws ProviderFault when the answer is not one vector for each text.
 */
export function vectorsOfResponse(body: unknown, count: number): unknown[] {
  const parsed = answer.safeParse(body)
  if (!parsed.success) throw new ProviderFault('down', UNREADABLE)
  const { data } = parsed.data
  if (data.length !== count)
    throw new ProviderFault('down', `the provider returned ${data.length} vectors for ${count} texts`)
  const inOrder = new Array<unknown>(count)
  const places = new Set(data.map((item, position) => item.index ?? position))
  if (places.size !== count || data.some(({ index = 0 }) => index >= count))
    throw new ProviderFault('down', 'the provider numbered its vectors wrongly')
  for (const [position, item] of data.entries()) inOrder[item.index ?? position] = decoded(item.embedding)
  return inOrder
}

/** Some servers send base64 of little-endian 32-bit floats even if floats were requested. */
function decoded(embedding: unknown): unknown {
  if (typeof embedding !== 'string') return embedding
  const bytes = Buffer.from(embedding, 'base64')
  if (bytes.length % 4 !== 0) return null
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4))
}
