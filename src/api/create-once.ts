import type { Context } from '../context.ts'
import type { RouteName } from '../contract/index.ts'
import type { Memory } from '../contract/memory.ts'
import { runOnce } from '../service/access/idempotency.ts'
import { placed } from '../service/access/visibility.ts'
import { admit, invoke } from '../service/index.ts'

type Creating =
  | 'createMemory'
  | 'createMemories'
  | 'addTurns'
  | 'createConnection'
  | 'createConnections'
  | 'createKey'

/**
 * Runs an operation that creates, once for each idempotency key: whichever API the key and its repeats come through. The
 * response is kept with what was created, private or shared, and is erased with it.
 * @throws ServiceError like `runOnce` and the operation
 */
export async function createOnce(
  name: Exclude<RouteName, 'getOpenApi'>,
  ctx: Context,
  raw: unknown,
  key: string,
) {
  const input = admit(name as Creating, ctx, raw)
  const request = {
    key,
    operation: name,
    input,
    count: countOf(input),
    credential: ctx.credential ?? '',
  }
  return runOnce<unknown>(
    await placed(name, ctx, raw),
    request,
    inner => invoke(name, inner, raw),
    memoriesIn,
  )
}

/** How many things it creates, each with an id that is minted beforehand. */
function countOf(input: object): number {
  const { memories, turns } = input as { memories?: unknown[]; turns?: unknown[] }
  return (memories ?? turns)?.length ?? 1
}

/** The memories whose content a response has. */
function memoriesIn(result: unknown): string[] {
  const { id, content, memories } = result as Partial<Memory> & { memories?: Memory[] }
  return content === undefined ? (memories ?? []).map(memory => memory.id) : [id as string]
}
