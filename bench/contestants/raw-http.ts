import { call } from '../http.ts'
import { startPlainServer } from '../processes.ts'
import type { World } from '../world.ts'
import { type Contestant, ofEachRead, type Read } from './contestant.ts'
import { idsOf, type Row } from './raw-best.ts'

type Reads = Pick<Contestant, Read> & AsyncDisposable

/** The best known forms behind a plain HTTP server: what a process of its own and JSON cost. */
export async function createRawHttp(
  world: Pick<World, 'corpus' | 'database' | 'endpoint'>,
  tenant: string,
  last: number,
): Promise<Reads> {
  const { name, size, topics } = world.corpus
  const server = await startPlainServer({
    ...world.database,
    endpoint: world.endpoint,
    name,
    size,
    topics,
    tenant,
    last,
  })
  const ids = ofEachRead(read => async (at: number) => {
    const { body } = await call(`${server.url}/${read}`, { method: 'POST', body: { at } })
    return idsOf(body as Row[])
  })
  return { ...ids, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}
